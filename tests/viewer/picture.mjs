// node tests/viewer/picture.mjs PAGE.html PICTURE.png ['#t=0.1&theme=dark' [WIDTH HEIGHT]]: an exported page as it looks.
// RICOCHET_VIEWER names the folder with the page's packages, build/viewer if not given.
import { resolve } from 'node:path';

process.env.RICOCHET_VIEWER ??= resolve('build/viewer');
const { browser, open } = await import('./support.mjs');
const [page, picture, view = '', width = '1200', height = '720'] = process.argv.slice(2);
const chrome = await browser();
const seen = await open(chrome, `file://${resolve(page)}${view}`, { width: Number(width), height: Number(height) });
await seen.waitForTimeout(500);
await seen.screenshot({ path: picture });
for (const complaint of seen.complaints) console.error(complaint);
await chrome.close();
