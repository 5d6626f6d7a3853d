// The program and a browser, for the tests of the viewer. ctest gives the paths.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const program = process.env.RICOCHET_PROGRAM;
export const packages = process.env.RICOCHET_VIEWER;
const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');

export const folder = mkdtempSync(join(tmpdir(), 'ricochet-viewer-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export function ricochet(...words) {
  return execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
/** The columns of a result, as the program exports them. */
export function columns(result, names) {
  ricochet('export', result, '--columns', names.join(','), '--csv', 'columns.csv');
  const [head, ...rows] = readFileSync(join(folder, 'columns.csv'), 'utf8').trim().split('\n').map((l) => l.split(','));
  return Object.fromEntries(head.map((name, k) => [name, rows.map((r) => Number(r[k]))]));
}

export async function browser(...options) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run', '--disable-quic',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', ...options],
  });
}

/** Opens a page and waits for its first picture; whatever it complains of is in `complaints`. */
export async function open(where, address, size = { width: 1000, height: 640 }) {
  const page = await where.newPage({ viewport: size });
  page.complaints = [];
  // The driver's own way evaluates text in the page, which the server's policy forbids.
  page.waitForFunction = async (holds, argument, { timeout = 30000 } = {}) => {
    const end = Date.now() + timeout;
    while (!(await page.evaluate(holds, argument).catch(() => false))) {
      if (Date.now() > end) throw new Error(`never true: ${holds}`);
      await new Promise((done) => { setTimeout(done, 50); });
    }
  };
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') page.complaints.push(m.text()); });
  page.on('pageerror', (e) => page.complaints.push(e.message));
  await page.goto(address);
  await drawn(page);
  return page;
}
export async function drawn(page) {
  await page.waitForFunction(() => /^\d+$/.test(document.documentElement.dataset.drawn ?? ''), null, { timeout: 60000 });
}
export const file = (name) => `file://${join(folder, name)}`;

/** Pixels of the drawing that differ from its background, as a part of all. */
export async function inked(page) {
  return page.evaluate(() => new Promise((done) => {
    const canvas = document.getElementById('scene');
    const copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    const c = copy.getContext('2d');
    c.drawImage(canvas, 0, 0);
    const { data } = c.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 24) ++count;
    done(count / (data.length / 4));
  }));
}
/** Goes to a frame and waits until it is drawn. */
export async function show(page, frame) {
  await page.evaluate((k) => { const { viewer, runs } = window.ricochet; viewer.seek(runs[0].times[k]); }, frame);
  await page.waitForFunction((k) => document.documentElement.dataset.drawn === String(k), frame, { timeout: 60000 });
}
