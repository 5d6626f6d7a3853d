// node tests/viewer/moving.mjs PAGE.html PICTURE.png FROM TO FRAMES ['#theme=light' [WIDTH HEIGHT]]: an exported page as a
// moving picture (APNG), times in seconds. RICOCHET_VIEWER names the folder with the page's packages, build/viewer if not given.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { animated } from './apng.mjs';

process.env.RICOCHET_VIEWER ??= resolve('build/viewer');
const { browser, open } = await import('./support.mjs');
const [page, picture, from, to, count, view = '', width = '840', height = '420'] = process.argv.slice(2);
const chrome = await browser();
const seen = await open(chrome, `file://${resolve(page)}${view}`, { width: Number(width), height: Number(height) });
await seen.addStyleTag({ content: `
  header, footer, aside, #shows, #legend, #clock small { display: none !important; }
  html, body, main { display: block; height: 100%; } #stage { height: 100% !important; }` });
await seen.evaluate(() => { window.ricochet.viewer.stage.resize(); window.ricochet.viewer.stage.reset(); });
const frames = [];
for (let k = 0; k < Number(count); ++k) {
  const t = Number(from) + ((Number(to) - Number(from)) * k) / (Number(count) - 1);
  await seen.evaluate((time) => { window.ricochet.viewer.seek(time); }, t);
  await seen.waitForTimeout(60);
  frames.push(await seen.screenshot());
}
writeFileSync(picture, animated(frames, 60));
for (const complaint of seen.complaints) console.error(complaint);
await chrome.close();
