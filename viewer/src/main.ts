// The page of `ricochet view`: puts the parts together, keeps the time, listens to keys and pointers.
import { archive } from './archive';
import { Raycaster, Vector2, Vector3 } from 'three';
import './style.css';
import { Contacts, type Shown } from './contacts';
import { source, type Source } from './data';
import { Figure } from './figure';
import { css } from './look';
import { Numbers, type Picked } from './numbers';
import { Plots } from './plots';
import { Run } from './run';
import { Stage } from './stage';
import { Timeline } from './timeline';

const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const SPEEDS = [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];
const MOST_GAPS = 6, MOST_DEFORM = 8; // powers of ten
const within = (x: number, most: number) => Math.min(Math.max(x, 0), most);
const TOGGLES: [keyof Shown | 'trails' | 'second', string, string][] = [
  ['contacts', 'contacts', 'c'], ['forces', 'impulses of contacts', 'f'], ['cones', 'cones', 'k'],
  ['joints', 'forces of joints', 'j'],
  ['trails', 'trails', 't'], ['second', 'second result', 'o'],
];
const KEYS: [string, string][] = [
  ['space', 'play, pause'], ['← →', 'one step; with Shift ten'], ['Home End', 'beginning, end'], ['[ ]', 'event before, after'],
  ['↑ ↓', 'speed'], ['c f k j t o', 'contacts, their impulses, cones, forces of joints, trails, second result'],
  ['m n', 'gaps and play larger, smaller'], ['M N', 'deformations larger, smaller'], ['0', 'whole picture'], ['+ −', 'nearer, farther'], ['d', 'light or dark'],
  ['s', 'picture of this frame'], ['S', 'pictures of all frames of one second of playing'], ['Esc', 'nothing pointed at'], ['h', 'this list'],
];

function fail(why: unknown) {
  const box = $('message');
  box.textContent = why instanceof Error ? why.message : String(why);
  box.classList.add('bad');
  box.hidden = false;
}

class Viewer {
  private t: number;
  private playing = false;
  private speed = 1;
  private readonly shows: Record<string, boolean> = {
    contacts: true, forces: true, cones: false, joints: false, trails: true, second: true,
  };
  private magnify = 0; // of gaps, a power of ten
  private deform = 0; // of deformations, a power of ten
  private picked: Picked = null;
  private readonly stage: Stage;
  private readonly figures: Figure[];
  private readonly contacts: Contacts;
  private readonly plots: Plots;
  private readonly timeline: Timeline;
  private readonly numbers = new Numbers($('numbers'));
  private wanted = false;
  private before = 0;
  private urlDue = 0;
  readonly script: number[] = []; // ms of script in each of the last pictures
  private readonly deformAtFirst: number;
  private follow = false; // the end of a run that goes on

  constructor(private readonly runs: Run[]) {
    const about = runs[0].about;
    this.t = runs[0].times[0];
    this.stage = new Stage($<HTMLCanvasElement>('scene'), runs.map((r) => r.about), () => this.request());
    this.figures = runs.map((r, i) => new Figure(r, this.stage, i > 0));
    this.contacts = new Contacts(runs[0], this.figures[0], this.stage);
    this.plots = new Plots($('plots'), runs, (t) => this.seek(t));
    this.timeline = new Timeline($<HTMLCanvasElement>('timeline'), runs[0], (t) => this.seek(t));
    this.deform = this.deformAtFirst = this.deformation();
    const span = about.t[1] - about.t[0] || 1;
    this.speed = SPEEDS.reduce((a, b) => (Math.abs(Math.log((span / b) / 9)) < Math.abs(Math.log((span / a) / 9)) ? b : a));
    this.head();
    this.buttons();
    this.keys();
    this.pointer();
    this.fromUrl();
    new ResizeObserver(() => { this.stage.resize(); this.request(); }).observe($('stage'));
    this.follow = about.live;
    this.request();
  }

  /** A run that goes on has got further. */
  update() {
    const times = this.runs[0].times;
    if (this.follow) this.t = times[times.length - 1];
    this.stage.widen(this.runs.map((r) => r.about));
    this.plots.refresh();
    this.request();
  }

  private head() {
    const about = this.runs[0].about;
    document.title = `${about.name} – ricochet`;
    $('title').textContent = about.name;
    const parts = [about.scheme, about.step > 0 ? `step ${about.step < 1e-3 ? about.step.toExponential().replace('e-0', 'e-') : about.step} s` : 'steps chosen by the program', about.status];
    if (this.runs.length > 1) parts.push(`beside it ${this.runs[1].about.file}: ${this.runs[1].about.scheme}`);
    $('subtitle').textContent = parts.join(' · ');
    $('subtitle').title = about.description;
    const notes = [about.description, ...about.notes].filter(Boolean);
    $('notes').replaceChildren(...notes.map((n) => Object.assign(document.createElement('p'), { textContent: n })));
  }

  private buttons() {
    const about = this.runs[0].about;
    const has: Record<string, boolean> = {
      contacts: about.items.some((i) => !i.joint) || about.bodies.length > 0,
      forces: about.largest_impulse > 0,
      cones: about.items.some((i) => i.mu > 0),
      joints: about.largest_reaction > 0,
      trails: about.bodies.length > 0 || about.shapes.some((s) => s.trace),
      second: this.runs.length > 1,
    };
    for (const [key, label, letter] of TOGGLES) {
      if (!has[key]) continue;
      const button = document.createElement('button');
      button.id = `show-${key}`;
      button.textContent = label;
      button.title = `${label} (${letter})`;
      button.onclick = () => this.toggle(key);
      $('shows').append(button);
    }
    if (has.contacts || about.shapes.some((s) => s.kind === 'play'))
      this.slider('magnify', 'gaps and play magnified (m, n)', MOST_GAPS);
    if (this.deforms()) this.slider('deform', 'deformations magnified, not the motion of the whole body (M, N)', MOST_DEFORM);
    const speed = $<HTMLSelectElement>('speed');
    for (const s of SPEEDS) speed.add(new Option(String(s), String(s)));
    speed.onchange = () => { this.speed = Number(speed.value); this.request(); };
    $('play').onclick = () => this.play();
    $('first').onclick = () => this.seek(this.runs[0].times[0]);
    $('last').onclick = () => this.seek(this.runs[0].times[this.runs[0].frames - 1]);
    $('back').onclick = () => this.step(-1);
    $('forward').onclick = () => this.step(1);
    $('theme').onclick = () => this.theme();
    $('png').onclick = () => this.picture();
    $('zip').onclick = () => void this.sequence();
    $('help').onclick = () => this.help();
    this.legend();
  }

  /** Of a magnification, in powers of ten. */
  private slider(what: 'magnify' | 'deform', title: string, most: number) {
    const label = document.createElement('label'), input = document.createElement('input');
    label.title = title;
    Object.assign(input, { id: what, type: 'range', min: '0', max: String(most), step: '0.25' });
    input.setAttribute('aria-label', title);
    input.oninput = () => { this[what] = Number(input.value); this.request(); };
    label.append(document.createElement('span'), input);
    $('shows').append(label);
  }

  private deforms(): boolean {
    const { flexible, shapes } = this.runs[0].about;
    return flexible.length > 0 || shapes.some((s) => s.kind === 'bar');
  }

  private legend() {
    const about = this.runs[0].about;
    if (!about.items.some((i) => !i.joint)) return;
    $('legend').innerHTML = ['open', 'closed', 'sticking', 'sliding', 'impact']
      .map((s) => `<div>${s}<i style="background: var(--${s})"></i></div>`).join('');
  }

  private toggle(key: string) {
    this.shows[key] = !this.shows[key];
    this.request();
  }

  private keys() {
    addEventListener('keydown', (e) => {
      const target = e.target as HTMLElement;
      if (e.ctrlKey || e.metaKey || e.altKey || target.tagName === 'SELECT') return;
      if (target.tagName === 'INPUT' && e.key.startsWith('Arrow')) return;
      if (target.tagName === 'BUTTON' && (e.key === ' ' || e.key === 'Enter')) return;
      const toggle = TOGGLES.find((t) => t[2] === e.key && document.getElementById(`show-${t[0]}`));
      const actions: Record<string, () => void> = {
        ' ': () => this.play(),
        ArrowLeft: () => this.step(e.shiftKey ? -10 : -1),
        ArrowRight: () => this.step(e.shiftKey ? 10 : 1),
        ArrowUp: () => this.faster(1),
        ArrowDown: () => this.faster(-1),
        Home: () => this.seek(this.runs[0].times[0]),
        End: () => this.seek(this.runs[0].times[this.runs[0].frames - 1]),
        '[': () => this.seek(this.timeline.event(this.t, -1)),
        ']': () => this.seek(this.timeline.event(this.t, 1)),
        m: () => this.enlarge('magnify', 0.25),
        n: () => this.enlarge('magnify', -0.25),
        M: () => this.enlarge('deform', 0.25),
        N: () => this.enlarge('deform', -0.25),
        '0': () => { this.stage.reset(); this.request(); },
        '+': () => this.nearer(1.2),
        '-': () => this.nearer(1 / 1.2),
        d: () => this.theme(),
        s: () => this.picture(),
        S: () => void this.sequence(),
        h: () => this.help(),
        '?': () => this.help(),
        Escape: () => { this.picked = null; this.request(); },
      };
      const action = toggle ? () => this.toggle(toggle[0]) : actions[e.key];
      if (!action) return;
      e.preventDefault();
      action();
    });
  }

  private pointer() {
    const canvas = $<HTMLCanvasElement>('scene');
    let from = { x: 0, y: 0 };
    canvas.addEventListener('pointerdown', (e) => { from = { x: e.clientX, y: e.clientY }; });
    canvas.addEventListener('pointerup', (e) => {
      if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > 4) return;
      const box = canvas.getBoundingClientRect();
      this.pick(e.clientX - box.left, e.clientY - box.top);
    });
    canvas.addEventListener('dblclick', () => { this.stage.reset(); this.request(); });
  }

  /** What is at a point of the picture: a contact or joint close to it, else a part under it. */
  pick(x: number, y: number) {
    const run = this.runs[0], f = run.frame(run.at(this.t));
    this.picked = null;
    if (f) {
      let best = 14;
      const p = new Vector3();
      for (let c = f.piece.offset[f.k]; c < f.piece.offset[f.k + 1]; ++c) {
        if (f.piece.item[c] < 0) continue;
        const at = this.stage.project(p.set(f.piece.point[3 * c], f.piece.point[3 * c + 1], f.piece.point[3 * c + 2]));
        const far = Math.hypot(at.x - x, at.y - y);
        if (far < best) { best = far; this.picked = { kind: 'item', name: run.about.items[f.piece.item[c]].name }; }
      }
      if (!this.picked) this.picked = this.under(x, y);
    }
    this.request();
  }

  private under(x: number, y: number): Picked {
    const canvas = this.stage.renderer.domElement, ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight), this.stage.camera);
    const [figure] = this.figures, layers = figure.pickable();
    for (const h of ray.intersectObjects([...layers.map((l) => l.mesh), ...figure.flexible.pickable()])) {
      const solid = figure.flexible.name(h.object);
      if (solid) return { kind: 'part', name: solid, body: -1 };
      const shape = this.runs[0].about.shapes[layers.find((l) => l.mesh === h.object)!.owners[h.instanceId!]];
      if (shape && !shape.ground) return { kind: 'part', name: shape.name, body: shape.body ?? -1 };
    }
    return null;
  }

  // ---- time ----------------------------------------------------------------------------------------------------------
  play() {
    const times = this.runs[0].times;
    this.playing = !this.playing;
    this.follow = this.playing && this.runs[0].about.live;
    if (this.playing && this.t >= times[times.length - 1]) this.t = times[0];
    this.before = performance.now();
    this.request();
  }
  step(by: number) {
    const run = this.runs[0];
    this.playing = this.follow = false;
    this.t = run.times[Math.min(Math.max(run.at(this.t) + by, 0), run.frames - 1)];
    this.request();
  }
  seek(t: number) {
    const times = this.runs[0].times;
    this.t = Math.min(Math.max(t, times[0]), times[times.length - 1]);
    this.follow = this.runs[0].about.live && t >= times[times.length - 1];
    this.request();
  }
  get time() { return this.t; }
  get frame() { return this.runs[0].at(this.t); }
  get isPlaying() { return this.playing; }
  get held() { return this.runs.reduce((sum, r) => sum + r.bytes, 0); }
  private faster(by: number) {
    const k = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(Math.max(k, 0), SPEEDS.length - 1)];
    this.request();
  }
  private enlarge(what: 'magnify' | 'deform', by: number) {
    if (!document.getElementById(what)) return;
    this[what] = within(this[what] + by, what === 'magnify' ? MOST_GAPS : MOST_DEFORM);
    this.request();
  }
  private nearer(by: number) {
    const { camera, controls } = this.stage;
    if ('zoom' in camera && 'isOrthographicCamera' in camera) { camera.zoom *= by; camera.updateProjectionMatrix(); }
    else camera.position.sub(controls.target).divideScalar(by).add(controls.target);
    controls.update();
    this.request();
  }

  /** How much larger the displacements of an elastic bar are drawn so that they can be seen at all, a power of ten. */
  private deformation(): number {
    const bar = this.runs[0].about.shapes.find((s) => s.kind === 'bar');
    if (!bar) return 0;
    let most = 0;
    this.runs[0].about.curves.forEach((c, k) => {
      if (c.group.endsWith('positions')) for (const x of this.runs[0].overview.values[k]) most = Math.max(most, Math.abs(x));
    });
    return most > 0 ? within(Math.floor(Math.log10((0.08 * bar.values[0]) / most)), MOST_DEFORM) : 0;
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------
  request() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame((now) => this.draw(now));
  }

  private draw(now: number) {
    this.wanted = false;
    const start = performance.now(), times = this.runs[0].times;
    if (this.playing) {
      this.t += (Math.min(Math.max(now - this.before, 0), 100) / 1000) * this.speed;
      if (this.t >= times[times.length - 1]) {
        this.t = times[times.length - 1];
        this.playing = this.runs[0].about.live;
      }
    }
    this.before = now;
    const i = this.runs[0].at(this.t), enlarged = 10 ** this.magnify;
    const options = { ghost: false, trails: this.shows.trails, deform: 10 ** this.deform };
    let there = true;
    this.figures.forEach((figure, k) => {
      figure.group.visible = k === 0 || this.shows.second;
      if (figure.group.visible) there = figure.draw(this.runs[k].at(this.t), options) && there;
    });
    const shown = { ...this.shows, magnify: enlarged } as unknown as Shown;
    const fading = this.contacts.draw(i, shown, this.playing);
    this.stage.render();
    this.words(i);
    if (this.playing) for (const r of this.runs) r.ahead(r.at(this.t));
    this.script.push(performance.now() - start);
    if (this.script.length > 600) this.script.shift();
    document.documentElement.dataset.drawn = there ? String(i) : 'waiting';
    if (this.playing || fading) this.request();
    this.toUrl();
  }

  private words(i: number) {
    const run = this.runs[0], t = run.times[i];
    const clock = $('clock');
    const digits = Math.max(3, Math.ceil(-Math.log10((run.about.t[1] - run.about.t[0]) / 1e4 || 1)));
    clock.innerHTML = '';
    clock.append(`${t.toFixed(Math.min(digits, 12))} s`, Object.assign(document.createElement('small'), {
      textContent: run.about.stride > 1 ? `frame ${i} of ${run.frames - 1} (1 in ${run.about.stride} steps)` : `step ${i} of ${run.frames - 1}`,
    }));
    this.timeline.draw(this.t);
    this.plots.cursor(t);
    const f = run.frame(i);
    if (f) this.numbers.show(run, f, this.picked);
    $('play').textContent = this.playing ? '❚❚' : '▶';
    $<HTMLSelectElement>('speed').value = String(this.speed);
    for (const [what, word] of [['magnify', 'gaps'], ['deform', 'deformation']] as const) {
      const input = document.getElementById(what) as HTMLInputElement | null;
      if (!input) continue;
      const larger = 10 ** this[what];
      input.value = String(this[what]);
      input.previousElementSibling!.textContent = `${word} ×${larger >= 1e4 ? larger.toExponential(0).replace('+', '') : Number(larger.toPrecision(2))}`;
    }
    for (const [key] of TOGGLES) document.getElementById(`show-${key}`)?.setAttribute('aria-pressed', String(this.shows[key]));
  }

  private theme() {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    for (const f of this.figures) f.recolor();
    this.contacts.recolor();
    this.plots.rebuild();
    this.request();
  }

  private help() {
    const dialog = $<HTMLDialogElement>('keys');
    if (dialog.open) { dialog.close(); return; }
    dialog.innerHTML = `<table>${KEYS.map(([k, w]) => `<tr><td>${k.split(' ').map((x) => `<kbd>${x}</kbd>`).join(' ')}</td><td>${w}</td></tr>`).join('')}</table>
      <p>Drag and wheel move the picture; a click shows numbers. In the curves a click goes to that time, a drag zooms, a double click shows all.</p>
      <form method="dialog"><button autofocus>Close</button></form>`;
    dialog.showModal();
  }

  // ---- pictures ------------------------------------------------------------------------------------------------------
  private save(blob: Blob | null, name: string) {
    if (!blob) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  private stem() { return this.runs[0].about.file.replace(/\.h5$/, ''); }
  picture() {
    this.stage.render();
    this.stage.renderer.domElement.toBlob((b) => this.save(b, `${this.stem()}-${this.frame}.png`));
  }
  /** The pictures of a second of playing, 25 of them, from here, in one archive. */
  private async sequence() {
    const start = this.t, count = 25, pictures: { name: string; bytes: Uint8Array }[] = [];
    this.playing = false;
    for (let k = 0; k < count; ++k) {
      this.seek(start + (k / count) * this.speed);
      const run = this.runs[0];
      await run.fetch(Math.floor(this.frame / run.about.frames_in_piece));
      this.draw(performance.now());
      const blob = await new Promise<Blob | null>((done) => this.stage.renderer.domElement.toBlob(done));
      if (!blob) continue;
      pictures.push({ name: `${this.stem()}-${String(k).padStart(3, '0')}.png`, bytes: new Uint8Array(await blob.arrayBuffer()) });
    }
    this.save(archive(pictures), `${this.stem()}-${this.frame}.zip`);
    this.seek(start);
  }

  // ---- the address keeps the view ------------------------------------------------------------------------------------
  private toUrl() {
    if (this.urlDue) return;
    this.urlDue = window.setTimeout(() => {
      this.urlDue = 0;
      if (this.playing) return;
      const hidden = Object.entries(this.shows).filter(([, on]) => on).map(([k]) => k).join('.');
      const words = new URLSearchParams({
        t: String(this.t), speed: String(this.speed), show: hidden, view: this.stage.view().join(','),
        theme: document.documentElement.dataset.theme ?? 'light',
      });
      if (this.magnify > 0) words.set('magnify', String(this.magnify));
      if (this.deform !== this.deformAtFirst) words.set('deform', String(this.deform));
      if (this.picked) words.set('pick', `${this.picked.kind}:${this.picked.name}`);
      try { history.replaceState(null, '', `#${words}`); } catch { /* a page that may not */ }
    }, 400);
  }
  private fromUrl() {
    const words = new URLSearchParams(location.hash.slice(1));
    const number = (key: string) => (words.has(key) ? Number(words.get(key)) : NaN);
    if (Number.isFinite(number('t'))) this.seek(number('t'));
    if (SPEEDS.includes(number('speed'))) this.speed = number('speed');
    if (Number.isFinite(number('magnify'))) this.magnify = within(number('magnify'), MOST_GAPS);
    if (Number.isFinite(number('deform'))) this.deform = within(number('deform'), MOST_DEFORM);
    if (words.has('show')) {
      const on = words.get('show')!.split('.');
      for (const key of Object.keys(this.shows)) this.shows[key] = on.includes(key);
    }
    if (words.has('view')) this.stage.setView(words.get('view')!.split(',').map(Number));
    const pick = words.get('pick')?.match(/^(item|part):(.*)$/);
    if (pick?.[1] === 'item') this.picked = { kind: 'item', name: pick[2] };
    if (pick?.[1] === 'part') {
      const shape = this.runs[0].about.shapes.find((s) => s.name === pick[2]);
      if (shape) this.picked = { kind: 'part', name: shape.name, body: shape.body ?? -1 };
    }
  }
}

/** Keeps up with a run that goes on, without asking more often than the answers come; at its end the results are shown. */
function watch(from: Source, run: Run, viewer: Viewer) {
  let generation = 0, busy = false;
  from.listen(async (news) => {
    if (news.ended) { location.reload(); return; }
    if (busy) return;
    busy = true;
    const began = performance.now();
    try {
      const [about] = await from.describe();
      const overview = await from.overview(0);
      run.update(about, overview, news.generation !== generation);
      generation = news.generation;
      viewer.update();
    } catch { /* the server is gone, or shows the results by now */ }
    setTimeout(() => { busy = false; }, Math.max(200, 3 * (performance.now() - began)));
  });
}

async function start() {
  const words = new URLSearchParams(location.hash.slice(1));
  const wish = words.get('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = wish === 'dark' ? 'dark' : 'light';
  const from = source();
  const about = await from.describe();
  if (about.length === 0) throw new Error('There is no result to show.');
  let viewer: Viewer | null = null;
  const runs = await Promise.all(about.map(async (a, i) =>
    new Run(a, await from.overview(i), from, i, () => viewer?.request(), fail)));
  await Promise.all(runs.map((r) => r.fetch(0)));
  viewer = new Viewer(runs);
  if (about[0].live) watch(from, runs[0], viewer);
  (window as unknown as { ricochet: unknown }).ricochet = { viewer, runs, css };
}

start().catch(fail);
