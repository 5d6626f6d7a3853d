// The exported page in a real browser: it draws, plays, seeks, shows the numbers of the file, and needs no server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browser, columns, drawn, file, folder, inked, open, ricochet, show } from './support.mjs';

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome?.close(); });

test('the slider-crank: drawing, numbers, contacts', async () => {
  ricochet('run', 'slider-crank', '--step', '5e-5', '--until', '0.05', '-o', 'crank.h5');
  ricochet('view', 'crank.h5', '--export', 'crank.html', '--frames', '2000');
  assert.ok(statSync(join(folder, 'crank.html')).size < 3e6);
  const page = await open(chrome, file('crank.html'));
  const last = await page.evaluate(() => window.ricochet.runs[0].frames - 1);
  assert.equal(last, 1000);
  const truth = columns('crank.h5', ['t', 'q', 'gap', 'P', 'E']);
  for (const frame of [0, 137, 1000]) {
    await show(page, frame);
    assert.ok((await inked(page)) > 0.01, `frame ${frame} is blank`);
    const seen = await page.evaluate((k) => {
      const run = window.ricochet.runs[0], { piece, k: at } = run.frame(k);
      const out = { t: piece.t[at] };
      run.about.curves.forEach((c, i) => { out[c.name] = piece.numbers[at * piece.curves + i]; });
      for (let c = piece.offset[at]; c < piece.offset[at + 1]; ++c) {
        const name = run.about.items[piece.item[c]].name;
        out[`listed gap.${name}`] = piece.gap[c];
        out[`listed P.${name}`] = piece.P[3 * c];
      }
      // the end of the rod, where the drawing has it
      const rod = run.about.shapes.find((s) => s.name === 'rod');
      out.rod = [...piece.shape.subarray(at * piece.drawn + rod.first + 3, at * piece.drawn + rod.first + 5)];
      return out;
    }, frame);
    const [th1, th2] = [truth['q.th1'][frame], truth['q.th2'][frame]];
    for (const name of ['t', 'q.th3', 'gap.lower_left', 'E']) assert.equal(seen[name], truth[name][frame], name);
    for (const corner of ['lower_left', 'upper_right']) {
      assert.equal(seen[`listed gap.${corner}`], truth[`gap.${corner}`][frame]);
      assert.equal(seen[`listed P.${corner}`], truth[`P.${corner}`][frame]);
    }
    const end = [0.153 * Math.cos(th1) + 0.306 * Math.cos(th2), 0.153 * Math.sin(th1) + 0.306 * Math.sin(th2)];
    for (const i of [0, 1]) assert.ok(Math.abs(seen.rod[i] - end[i]) < 1e-7, `${seen.rod} against ${end}`);
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('pictures: of a frame, and of a second of playing as one archive', async () => {
  ricochet('run', 'bouncing-ball', '-o', 'pictured.h5');
  ricochet('view', 'pictured.h5', '--export', 'pictured.html');
  const page = await open(chrome, file('pictured.html'));
  const pressed = async (key) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press(key)]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const one = await pressed('s');
  assert.match(one.name, /^pictured-0\.png$/);
  assert.equal(one.bytes.toString('latin1', 1, 4), 'PNG');
  const { name, bytes } = await pressed('S');
  assert.match(name, /\.zip$/);
  writeFileSync(join(folder, 'pictures.zip'), bytes);
  // Someone else's reader takes it apart and checks its sums.
  const told = execFileSync('python3', ['-c', 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()), len({z.read(n) for n in z.namelist()}), all(z.read(n)[1:4] == b"PNG" for n in z.namelist()))', join(folder, 'pictures.zip')]).toString();
  const [count, different, pictures] = told.trim().split(' ');
  assert.equal(count, '25');
  assert.ok(Number(different) > 20, told);
  assert.equal(pictures, 'True');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('time: play, pause, steps, keys, the address', async () => {
  ricochet('run', 'rocking-block', '-o', 'block.h5');
  ricochet('view', 'block.h5', '--export', 'block.html');
  const page = await open(chrome, file('block.html'));
  const frame = () => page.evaluate(() => window.ricochet.viewer.frame);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  assert.equal(await frame(), 11);
  await page.keyboard.press(']');
  const event = await page.evaluate(() => window.ricochet.viewer.time);
  const impacts = columns('block.h5', ['t', 'impacts']);
  assert.ok(event > impacts.t[11] && event <= 2);
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.ricochet.viewer.frame > 3, null, { timeout: 60000 });
  await page.keyboard.press(' ');
  const stopped = await frame();
  await page.waitForTimeout(200);
  assert.equal(await frame(), stopped);
  const box = await page.locator('#timeline').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + 8);
  assert.equal(await frame(), 100);
  await page.keyboard.press('d');
  await page.keyboard.press('c');
  await page.waitForFunction(() => location.hash.includes('theme=dark') || location.hash.includes('theme=light'));
  await page.waitForTimeout(600);
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.reload();
  await drawn(page);
  assert.equal(await frame(), 100);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
  assert.equal(await page.locator('#show-contacts').getAttribute('aria-pressed'), 'false');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('a click shows the numbers of a contact and of a part', async () => {
  const page = await open(chrome, file('block.html'));
  await show(page, 200);
  const at = await page.evaluate(() => {
    const { viewer, runs } = window.ricochet, { piece, k } = runs[0].frame(200), c = piece.offset[k];
    const point = viewer.stage.camera.position.clone().set(...piece.point.subarray(3 * c, 3 * c + 3));
    return { ...viewer.stage.project(point), name: runs[0].about.items[piece.item[c]].name };
  });
  const box = await page.locator('#scene').boundingBox();
  await page.mouse.click(box.x + at.x, box.y + at.y);
  await page.waitForFunction((n) => document.querySelector('#numbers h2')?.textContent === `contact ${n}`, at.name);
  const gap = columns('block.h5', [`gap.${at.name}`])[`gap.${at.name}`][200];
  const shown = await page.locator('#numbers tr', { hasText: 'gap' }).locator('td').first().textContent();
  assert.ok(Math.abs(Number(shown) - gap) <= 1e-4 * Math.abs(gap), `${shown} against ${gap}`);
  const middle = await page.evaluate(() => {
    const { viewer, runs } = window.ricochet, block = runs[0].about.shapes.find((s) => s.name === 'block');
    return viewer.stage.project(viewer.figures[0].middle(block, runs[0].frame(200)));
  });
  await page.mouse.click(box.x + middle.x, box.y + middle.y);
  await page.waitForFunction(() => document.querySelector('#numbers h2')?.textContent === 'block');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('bodies in space, and a second result as a shadow', async () => {
  ricochet('run', 'rigid-box', '-o', 'box.h5');
  ricochet('run', 'rigid-box', '--step', '2e-3', '-o', 'coarse.h5');
  ricochet('view', 'box.h5', 'coarse.h5', '--export', 'box.html');
  const page = await open(chrome, file('box.html'));
  await show(page, 400);
  const pose = await page.evaluate(() => {
    const { piece, k } = window.ricochet.runs[0].frame(400);
    return [...piece.pose.subarray(7 * k, 7 * k + 7)];
  });
  const truth = columns('box.h5', ['q']);
  ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'].forEach((name, i) => {
    const sign = Math.sign(pose[6] * truth['q.box.qw'][400]) || 1; // a rotation has two quaternions
    assert.ok(Math.abs(pose[i] - (i < 3 ? 1 : sign) * truth[`q.box.${name}`][400]) < 1e-6, name);
  });
  const picture = () => page.evaluate(() => document.getElementById('scene').toDataURL());
  const both = await picture();
  await page.keyboard.press('o');
  await page.waitForTimeout(300);
  assert.notEqual(await picture(), both);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('deformations are magnified, the motion of the whole is not', async () => {
  // A clamped beam sags, a block falls, turns and is strained by its spin.
  writeFileSync(join(folder, 'elastic.yaml'), `
name: elastic parts
system:
  gravity: [0, 0, -9.81]
  flexible:
    beam:
      beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, section: {rectangle: [0.01, 0.01]}}
      young: 7e10
      poisson: 0.3
      density: 2700
      clamp: from
    block:
      box: {size: [0.4, 0.1, 0.1], elements: [4, 1, 1]}
      young: 1e6
      poisson: 0.3
      density: 1000
      material: svk
      position: [0, 0.5, 0]
      angular_velocity: [0, 0, 10]
simulation: {scheme: moreau-jean, step: 1e-3, until: 0.2}
`);
  ricochet('run', 'elastic.yaml', '-o', 'elastic.h5');
  ricochet('view', 'elastic.h5', '--export', 'elastic.html');
  const page = await open(chrome, file('elastic.html'));
  await show(page, 200);
  const places = (deform) => page.evaluate((scale) => {
    const { viewer, runs } = window.ricochet, f = runs[0].frame(200), figure = viewer.figures[0], p = viewer.stage.center.clone();
    return runs[0].about.flexible.map((body, b) => Array.from({ length: body.reference.length / 3 },
      (_, n) => figure.flexible.place(b, n, f, scale, p).toArray()));
  }, deform);
  const [none, one, thousand] = [await places(0), await places(1), await places(1000)];
  const names = await page.evaluate(() => window.ricochet.runs[0].about.flexible.map((b) => b.name));
  const [beam, block] = [names.indexOf('beam'), names.indexOf('block')];
  // Undeformed the block has its edges whatever it does, and one time the deformation is what the file says.
  const apart = (x, i, k) => Math.hypot(...[0, 1, 2].map((c) => x[i][c] - x[k][c]));
  const reference = await page.evaluate((b) => window.ricochet.runs[0].about.flexible[b].reference, block);
  const rest = none[block].map((_, i) => reference.slice(3 * i, 3 * i + 3));
  rest.forEach((_, i) => assert.ok(Math.abs(apart(none[block], 0, i) - apart(rest, 0, i)) < 1e-6));
  const mean = (x) => [0, 1, 2].map((c) => x.reduce((sum, p) => sum + p[c], 0) / x.length);
  mean(none[block]).forEach((x, c) => assert.ok(Math.abs(x - mean(one[block])[c]) < 1e-6 && Math.abs(x - mean(thousand[block])[c]) < 1e-3));
  assert.ok(Math.hypot(...mean(one[block]).map((x, c) => x - mean(rest)[c])) > 0.15, 'the block has fallen');
  const far = Math.max(...one[block].map((x, i) => Math.hypot(...x.map((y, c) => y - none[block][i][c]))));
  assert.ok(far > 1e-5 && far < 5e-3, `the block is strained by ${far}`);
  const truth = columns('elastic.h5', ['q']);
  assert.ok(Math.abs(one[beam][4][2] - truth['q.beam.node5.z'][200]) < 1e-6);
  assert.deepEqual(none[beam].map((x) => x[2]), [0, 0, 0, 0, 0]);
  assert.ok(Math.abs(thousand[beam][4][2] - 1000 * truth['q.beam.node5.z'][200]) < 1e-4 * Math.abs(thousand[beam][4][2]));
  // By key and in the address.
  const picture = () => page.evaluate(() => document.getElementById('scene').toDataURL());
  const before = await picture();
  for (let k = 0; k < 8; ++k) await page.keyboard.press('Shift+M');
  await page.waitForFunction(() => document.getElementById('deform').previousElementSibling.textContent === 'deformation ×100');
  assert.notEqual(await picture(), before);
  await page.waitForFunction(() => location.hash.includes('deform=2'));
  await page.reload();
  await drawn(page);
  assert.equal(await page.locator('#deform').inputValue(), '2');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('every shipped scenario is drawn', async () => {
  const names = [...ricochet('list', 'scenarios').matchAll(/^([a-z][\w-]*) {2,}/gm)].map((m) => m[1]).slice(1);
  assert.ok(names.length >= 20);
  for (const name of names) {
    // some hundred steps: piles and solids take long to their ends
    const text = readFileSync(new URL(`../../scenarios/${name}.yaml`, import.meta.url), 'utf8');
    const [step, until] = ['step', 'until'].map((key) => Number((text.match(new RegExp(`${key}: *([0-9.e-]+)`)) ?? [])[1]));
    const end = step > 0 && until > 300 * step ? ['--until', String(300 * step)] : [];
    ricochet('run', name, '-o', 'one.h5', '--record-every', '10', ...end);
    ricochet('view', 'one.h5', '--export', 'one.html', '--frames', '60');
    const page = await open(chrome, file('one.html'), { width: 600, height: 400 });
    const last = await page.evaluate(() => window.ricochet.runs[0].frames - 1);
    await show(page, Math.floor(last / 2));
    const ink = await inked(page);
    assert.ok(ink > 0.002, `${name}: ${ink}`);
    assert.deepEqual(page.complaints, [], name);
    await page.close();
  }
});

test('wrong data are told, names with markup are shown and not run', async () => {
  writeFileSync(join(folder, 'odd.yaml'), `
name: <img src=x onerror="window.hit = 1"></script><script>window.hit = 2</script>
description: <b onclick="window.hit = 3">bold</b>
system:
  formulas:
    coordinates: [q]
    kinetic: q'^2/2
    contacts:
      "<i>wall": {gap: q}
initial: {position: {q: 1}}
simulation: {step: 0.1, until: 1}
draw:
  "<u>ball": {circle: [0, q], radius: 0.1}
`);
  ricochet('run', 'odd.yaml', '-o', 'odd.h5');
  ricochet('view', 'odd.h5', '--export', 'odd.html');
  const page = await open(chrome, file('odd.html'));
  assert.match(await page.locator('#title').textContent(), /<img src=x/);
  assert.equal(await page.evaluate(() => window.hit), undefined);
  await page.close();

  const good = readFileSync(join(folder, 'odd.html'), 'utf8');
  const broken = good.replace(/(id="ricochet-piece-0-0">)[A-Za-z0-9+/]{8}/, '$1AAAAAAAA');
  assert.notEqual(broken, good);
  writeFileSync(join(folder, 'broken.html'), broken);
  const other = await chrome.newPage();
  await other.goto(file('broken.html'));
  await other.waitForFunction(() => !document.getElementById('message').hidden, null, { timeout: 30000 });
  await other.close();
});

test('without WebGL the page says so', async () => {
  const plain = await browser('--disable-3d-apis');
  const page = await plain.newPage();
  await page.goto(file('crank.html'));
  const message = page.locator('#message');
  await message.waitFor({ state: 'visible' });
  assert.match(await message.textContent(), /needs WebGL/);
  await plain.close();
});

test('a phone-sized window', async () => {
  const page = await open(chrome, file('crank.html'), { width: 390, height: 780 });
  assert.ok((await inked(page)) > 0.005);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide}`);
  await page.locator('#play').click();
  await page.waitForFunction(() => window.ricochet.viewer.frame > 2, null, { timeout: 60000 });
  assert.deepEqual(page.complaints, []);
  await page.close();
});
