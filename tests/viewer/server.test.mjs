// The server of `ricochet view` and `run --view`: what it answers, whom, and how it ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browser, columns, folder, open, program, ricochet, show } from './support.mjs';

let chrome;
before(async () => {
  chrome = await browser();
  ricochet('run', 'slider-crank', '--until', '0.06', '-o', 'crank.h5');
});
after(async () => { await chrome?.close(); });

/** Starts the program and waits until it tells its address. */
async function serve(...words) {
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((done) => child.on('exit', (code) => done(code)));
  let said = '';
  const address = await new Promise((done, fail) => {
    const hear = (text) => {
      said += text;
      const found = said.match(/View: (http:\S+)/);
      if (found) done(found[1]);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.on('exit', (code) => fail(new Error(`ended with ${code}: ${said}`)));
  });
  return { child, address, ended, said: () => said };
}
function get(address, path, headers = {}, method = 'GET') {
  return new Promise((done, fail) => {
    const request = http.request(new URL(path, address), { headers, method }, (answer) => {
      const parts = [];
      answer.on('data', (d) => parts.push(d)).on('end', () => done({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }));
    });
    request.on('error', fail);
    request.end();
  });
}
/** Bytes as they stand, and what comes back before the connection closes or a moment has passed. */
function raw(address, text, wait = 1500) {
  return new Promise((done) => {
    const { port } = new URL(address);
    let answer = '';
    const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(text));
    socket.on('data', (d) => { answer += d; }).on('error', () => {}).on('close', () => done(answer));
    setTimeout(() => socket.destroy(), wait);
  });
}

test('every row is there, in pieces, and only to its own page', async () => {
  const server = await serve('view', 'crank.h5', '--no-open');
  const at = new URL(server.address);
  assert.equal(at.hostname, '127.0.0.1');
  const page = await get(server.address, '/');
  assert.equal(page.status, 200);
  assert.match(page.headers['content-security-policy'], /default-src 'none'/);
  const about = JSON.parse((await get(server.address, '/description')).body).results[0];
  assert.equal(about.frames, 6001);
  assert.equal((await get(server.address, '/piece/0/0')).body.toString('latin1', 0, 4), 'RVC3');
  assert.equal((await get(server.address, '/overview/0')).body.toString('latin1', 0, 4), 'RVO1');
  for (const path of ['/piece/0/99999', '/piece/1/0', '/piece/0/-1', '/piece/0/1e3', '/overview/7', '/crank.h5', '/etc/passwd',
    '/piece/0/999999999999999999999999', '/%2e%2e/%2e%2e/etc/passwd'])
    assert.equal((await get(server.address, path)).status, 404, path);
  assert.equal((await get(server.address, '/description', { Host: 'evil.example' })).status, 403);
  assert.equal((await get(server.address, '/description', { Origin: 'http://evil.example' })).status, 403);
  assert.equal((await get(server.address, '/description', { 'Sec-Fetch-Site': 'cross-site' })).status, 403);
  assert.equal((await get(server.address, '/description', { Origin: at.origin })).status, 200);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.notEqual((await get(server.address, '/description', {}, method)).status, 200, method);

  // What is malformed or slow harms nobody else.
  const slow = raw(server.address, 'GET / HTTP/1.1\r\nHost: ', 3000);
  for (const text of ['\0\0\0\0', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', `GET /${'a'.repeat(20000)} HTTP/1.1\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n', `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(5000)}\r\n`])
    await raw(server.address, text, 400);
  assert.equal((await get(server.address, '/description')).status, 200);
  await slow;

  const seen = await open(chrome, server.address);
  await show(seen, 5123);
  const gap = await seen.evaluate(() => {
    const run = window.ricochet.runs[0], { piece, k } = run.frame(5123);
    return piece.numbers[k * piece.curves + run.about.curves.findIndex((c) => c.name === 'gap.upper_left')];
  });
  assert.equal(gap, columns('crank.h5', ['gap.upper_left'])['gap.upper_left'][5123]);
  assert.deepEqual(seen.complaints, []);
  await seen.close();
  server.child.kill('SIGINT');
  assert.equal(await server.ended, 0);
});

test('a run is seen while it goes on, and its results when it has ended', async () => {
  const server = await serve('run', 'bouncing-ball', '--step', '2e-6', '--record-every', '100', '-o', 'live.h5', '--view', '--no-open');
  const page = await open(chrome, server.address);
  await page.waitForFunction(() => window.ricochet?.runs[0].about.live === false, null, { timeout: 120000 });
  await page.waitForFunction(() => /^\d+$/.test(document.documentElement.dataset.drawn ?? ''), null, { timeout: 60000 });
  assert.equal(await page.evaluate(() => window.ricochet.runs[0].frames), columns('live.h5', ['t']).t.length);
  assert.match(server.said(), /Results: live.h5/);
  await page.close();
  server.child.kill('SIGINT');
  assert.equal(await server.ended, 0);
});

test('a run that never ends holds a bounded number of frames', async () => {
  const server = await serve('run', 'pendulum', '--step', '1e-5', '--until', '1e6', '--no-output', '--view', '--no-open');
  const page = await open(chrome, server.address);
  const state = () => page.evaluate(() => ({ frames: window.ricochet.runs[0].frames, stride: window.ricochet.runs[0].about.stride }));
  await page.waitForFunction(() => window.ricochet?.runs[0].about.stride >= 4, null, { timeout: 120000 });
  assert.ok((await state()).frames <= 4096);
  assert.deepEqual(page.complaints, []);
  await page.close();
  server.child.kill('SIGINT');
  assert.equal(await server.ended, 130);
});

test('what is no result is told on the terminal', () => {
  writeFileSync(join(folder, 'noise.h5'), Buffer.alloc(4000, 7));
  writeFileSync(join(folder, 'empty.h5'), '');
  for (const name of ['noise.h5', 'empty.h5', 'missing.h5'])
    assert.throws(() => ricochet('view', name, '--no-open'), (e) => e.status === 2 && e.stderr.includes(name));
  assert.throws(() => ricochet('view', 'crank.h5', '--host', '192.0.2.1', '--no-open'), (e) => e.status === 2 && /cannot listen/.test(e.stderr));
});
