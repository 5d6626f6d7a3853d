// The script of a Page: figures over a common axis are read, zoomed and moved together, lines can be hidden, colours
// follow the reader. A figure (page/svg) carries the values and pixels of its axes in data-zoom; its lines the places
// of their samples along the axes, 0 to 1, in data-x (itself, or the id of what several lines share) and data-y; its
// boxes theirs in data-x0 and data-x1, horizontal rules in data-h. Without the script the page shows the whole span,
// and everything that is folded stands open.
namespace ricochet {

const char* page_script();

const char* page_script() {
  return R"js((() => {
'use strict';
const numbers = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
const shared = new Map();
function places(text) {
  if (text[0] !== '#') return numbers(text);
  if (!shared.has(text)) shared.set(text, numbers(document.getElementById(text.slice(1)).textContent));
  return shared.get(text);
}
const plots = [...document.querySelectorAll('svg[data-zoom]')].map(svg => {
  const [xl, xh, xf, xt, yl, yh, yf, yt, free, log] = svg.dataset.zoom.split(' ').map(Number);
  const lines = [...svg.querySelectorAll('[data-y]')].map(path => {
    const group = path.closest('.series');
    return {path, group, whole: path.getAttribute('d'), x: places(path.dataset.x), y: numbers(path.dataset.y),
      step: 'step' in path.dataset, closed: 'closed' in path.dataset, name: group.dataset.name,
      colour: path.getAttribute(path.getAttribute('fill') === 'none' ? 'stroke' : 'fill')};
  });
  const boxes = [...svg.querySelectorAll('[data-x0]')].map(rect => ({
    rect, x0: Number(rect.dataset.x0), x1: Number(rect.dataset.x1), x: rect.getAttribute('x'), w: rect.getAttribute('width')}));
  const rules = [...svg.querySelectorAll('[data-h]')].map(path => ({path, h: Number(path.dataset.h), whole: path.getAttribute('d')}));
  const parts = ['gx', 'gy', 'lx', 'ly'].map(name => svg.querySelector('.' + name));
  const originals = parts.map(p => p.tagName === 'path' ? p.getAttribute('d') : p.innerHTML);
  return {svg, xl, xh, xf, xt, yl, yh, yf, yt, free, log, lines, boxes, rules, parts, originals, axis: svg.dataset.axis, ya: 0, yb: 1};
});
const make = (name, attributes) => {
  const out = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  return out;
};
const px = x => Math.max(-1e5, Math.min(1e5, x)).toFixed(1);
const hidden = line => line.group.style.display === 'none';

function ticks(lo, hi, about) {
  const raw = (hi - lo) / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw * 0.999);
  const out = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step && out.length < 50; ++k) out.push(k * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const big = Math.max(Math.abs(lo), Math.abs(hi));
  const text = v => (digits > 6 || big >= 1e5 ? v.toExponential(Math.max(0, Math.min(8, Math.ceil(Math.log10(big / step))))) : v.toFixed(digits)).replace('-', '\u2212');
  return out.map(v => [v, text(v)]);
}

function restore(p) {
  p.lines.forEach(l => { l.path.setAttribute('d', l.whole); if (l.dots) { l.dots.remove(); l.dots = null; } });
  p.boxes.forEach(b => { b.rect.setAttribute('x', b.x); b.rect.setAttribute('width', b.w); });
  p.rules.forEach(r => r.path.setAttribute('d', r.whole));
  p.parts.forEach((e, i) => e.tagName === 'path' ? e.setAttribute('d', p.originals[i]) : e.innerHTML = p.originals[i]);
  p.window = null; p.ya = 0; p.yb = 1;
}

// The first sample at or beyond a place; x does not fall, but for areas, which come back: there the first half.
function first(l, place) {
  let a = 0, b = l.closed ? l.x.length / 2 : l.x.length;
  while (a < b) { const m = (a + b) >> 1; if (l.x[m] >= place) b = m; else a = m + 1; }
  return a;
}

const kDots = 200;  // samples in sight up to which each of them is marked
function draw(p, a, b) {
  p.window = [a, b];
  const fa = (a - p.xl) / (p.xh - p.xl), fb = (b - p.xl) / (p.xh - p.xl);
  // What is seen, with a neighbour to each side; the y axis follows it.
  let lo = Infinity, hi = -Infinity;
  const shown = p.lines.map(l => {
    const n = l.x.length;
    const i = l.closed ? 0 : Math.max(0, first(l, fa) - 1), j = l.closed ? n : Math.min(n, first(l, fb) + 1);
    if (!hidden(l))
      for (let k = i; k < j; ++k) if (l.x[k] >= fa && l.x[k] <= fb && isFinite(l.y[k])) { lo = Math.min(lo, l.y[k]); hi = Math.max(hi, l.y[k]); }
    return [i, j];
  });
  p.ya = 0; p.yb = 1;
  if (p.free && lo <= hi) {
    const air = hi > lo ? 0.06 * (hi - lo) : 0.05;
    p.ya = lo - air; p.yb = hi + air;
  }
  const X = f => p.xf + (f - fa) / (fb - fa) * (p.xt - p.xf), Y = f => p.yf + (f - p.ya) / (p.yb - p.ya) * (p.yt - p.yf);
  p.lines.forEach((l, k) => {
    const [i, j] = shown[k], single = !l.closed && j - i <= kDots;
    let text = '', dots = '', pen = false;
    for (let m = i; m < j; ++m) {
      if (!isFinite(l.x[m]) || !isFinite(l.y[m])) { pen = false; continue; }
      const x = px(X(l.x[m])), y = px(Y(l.y[m]));
      text += pen ? (l.step ? 'H' + x + 'V' + y : 'L' + x + ' ' + y) : 'M' + x + ' ' + y;
      if (single) dots += 'M' + x + ' ' + y + 'h0';
      pen = true;
    }
    l.path.setAttribute('d', text + (l.closed && text ? 'z' : ''));
    if (single && !l.dots) {
      l.dots = make('path', {fill: 'none', stroke: l.colour, 'stroke-width': 5, 'stroke-linecap': 'round'});
      l.path.after(l.dots);
    }
    if (l.dots) l.dots.setAttribute('d', dots);
  });
  p.boxes.forEach(b => { b.rect.setAttribute('x', px(X(b.x0))); b.rect.setAttribute('width', Math.max(0.25, X(b.x1) - X(b.x0)).toFixed(2)); });
  p.rules.forEach(r => r.path.setAttribute('d', r.h < p.ya || r.h > p.yb ? '' : 'M' + px(p.xf) + ' ' + px(Y(r.h)) + 'H' + px(p.xt)));
  const floor = Math.max(p.yf, p.yt), top = Math.min(p.yf, p.yt);
  const xs = ticks(a, b, Math.max(2, Math.floor((p.xt - p.xf) / 90)));
  const at = v => px(X((v - p.xl) / (p.xh - p.xl)));
  p.parts[0].setAttribute('d', xs.map(([v]) => 'M' + at(v) + ' ' + px(floor) + 'V' + px(top)).join(''));
  p.parts[2].innerHTML = xs.map(([v, t]) => `<text x="${at(v)}" y="${px(floor + 18)}" text-anchor="middle">${t}</text>`).join('');
  if (!p.free) return;
  const value = f => p.yl + f * (p.yh - p.yl), height = v => px(Y((v - p.yl) / (p.yh - p.yl)));
  const ys = ticks(value(p.ya), value(p.yb), Math.max(2, Math.floor((floor - top) / 40)));
  p.parts[1].setAttribute('d', ys.map(([v]) => 'M' + px(p.xf) + ' ' + height(v) + 'H' + px(p.xt)).join(''));
  p.parts[3].innerHTML = ys.map(([v, t]) => `<text x="${px(p.xf - 7)}" y="${(Number(height(v)) + 4.5).toFixed(1)}" text-anchor="end">${t}</text>`).join('');
}

// All figures over the same axis show the same span.
function show(from, a, b) {
  const whole = b - a >= (from.xh - from.xl) * (1 - 1e-9) || !(b - a > (from.xh - from.xl) * 1e-6);
  for (const p of plots)
    if (p.axis === from.axis) whole ? restore(p) : draw(p, Math.max(p.xl, a), Math.min(p.xh, b));
}
const span = p => p.window || [p.xl, p.xh];

// The read-out: a line through all figures over the axis, the numbers beside the one that is pointed at.
const readout = document.createElement('div');
readout.className = 'readout';
readout.setAttribute('aria-live', 'polite');
function unread() {
  readout.remove();
  for (const p of plots) if (p.cursor) { p.cursor.remove(); p.cursor = null; }
}
// Samples are known to seven digits of the figure's range: no more are shown.
function digits(v, range) {
  const power = Math.floor(Math.log10(range)) - 6, r = Math.round(v / 10 ** power) * 10 ** power;
  const text = range >= 1e-2 && range < 1e6 ? r.toFixed(Math.max(0, -power))
    : r === 0 ? '0' : r.toExponential(Math.max(0, Math.floor(Math.log10(Math.abs(r))) - power));
  return text.replace(/^-(?=0\.?0*$)/, '').replace(/-/g, '\u2212');
}
function read(from, x) {
  const [a, b] = span(from), wanted = (x - from.xl) / (from.xh - from.xl);
  // The nearest sample of the first line in sight says where.
  const near = l => {
    const k = first(l, wanted), n = l.closed ? l.x.length / 2 : l.x.length;
    return k > 0 && (k >= n || wanted - l.x[k - 1] < l.x[k] - wanted) ? k - 1 : k;
  };
  const seen = from.lines.filter(l => !hidden(l) && l.x.length > 0);
  const place = seen.length > 0 ? seen[0].x[near(seen[0])] : wanted;
  const at = from.xl + place * (from.xh - from.xl);
  for (const p of plots) {
    if (p.axis !== from.axis) continue;
    const [pa, pb] = span(p), pixel = p.xf + (at - pa) / (pb - pa) * (p.xt - p.xf);
    if (!p.cursor) { p.cursor = make('path', {class: 'cursor', 'stroke-width': 1, fill: 'none', 'pointer-events': 'none'}); p.svg.append(p.cursor); }
    p.cursor.setAttribute('d', pixel < p.xf - 1 || pixel > p.xt + 1 ? '' : `M${px(pixel)} ${px(p.yf)}V${px(p.yt)}`);
  }
  readout.replaceChildren();
  const row = (name, text, colour) => {
    const line = document.createElement('div'), key = document.createElement('i'), what = document.createElement('span'), number = document.createElement('b');
    key.style.background = colour || 'transparent';
    what.textContent = name; number.textContent = text;
    line.append(key, what, number);
    readout.append(line);
  };
  row(from.axis.replace(/ \[.*/, ''), digits(at, from.xh - from.xl) + ' ' + (from.axis.match(/\[(.*)\]/) || ['', ''])[1]);
  const unit = from.svg.dataset.unit || '', range = Math.abs(from.yh - from.yl);
  for (const l of seen) {
    const k = near(l), f = l.closed ? l.y[k] - l.y[l.y.length - 1 - k] : l.y[k];
    if (k >= l.y.length || !isFinite(f)) continue;
    const v = from.log ? from.yl * (from.yh / from.yl) ** f : l.closed ? f * (from.yh - from.yl) : from.yl + f * (from.yh - from.yl);
    row(l.name, (from.log ? v.toExponential(2).replace('-', '\u2212') : digits(v, range)) + ' ' + unit, l.colour);
  }
  const figure = from.svg.closest('figure'), box = from.svg.getBoundingClientRect(), outer = figure.getBoundingClientRect();
  const scale = box.width / from.svg.viewBox.baseVal.width, pixel = (from.xf + (at - a) / (b - a) * (from.xt - from.xf)) * scale;
  figure.append(readout);
  const left = pixel + 14 + readout.offsetWidth < box.width ? pixel + 14 : pixel - 14 - readout.offsetWidth;
  readout.style.left = Math.max(0, left) + box.left - outer.left + 'px';
  readout.style.top = Math.min(from.yf, from.yt) * scale + box.top - outer.top + 4 + 'px';
  from.at = at;
}

function place(p, event) {  // in units of the figure, whatever its size on the page
  const box = p.svg.getBoundingClientRect();
  return (event.clientX - box.left) / box.width * p.svg.viewBox.baseVal.width;
}
const value = (p, x, [a, b]) => a + (x - p.xf) / (p.xt - p.xf) * (b - a);
function zoom(p, about, factor) {
  const [a, b] = span(p);
  show(p, Math.max(p.xl, about + (a - about) * factor), Math.min(p.xh, about + (b - about) * factor));
}
function move(p, from, shift) {
  const width = from[1] - from[0], a = Math.max(p.xl, Math.min(p.xh - width, from[0] + shift));
  if (width < p.xh - p.xl) show(p, a, a + width);
}

for (const p of plots) {
  let start = null, window0 = null, band = null, pan = false;
  p.svg.tabIndex = 0;
  p.svg.addEventListener('pointerdown', event => {
    if (event.button !== 0 || event.target.closest('.key')) return;
    start = place(p, event); window0 = span(p); pan = event.shiftKey;
    p.svg.setPointerCapture(event.pointerId);
    p.svg.focus({preventScroll: true});
    unread();
    event.preventDefault();
  });
  p.svg.addEventListener('pointermove', event => {
    const now = place(p, event);
    if (start === null) {
      if (now >= p.xf && now <= p.xt) read(p, value(p, now, span(p))); else unread();
      return;
    }
    if (pan) {
      move(p, window0, value(p, start, window0) - value(p, now, window0));
      return;
    }
    if (!band) {
      band = make('rect', {fill: '#0072b2', 'fill-opacity': '.15'});
      p.svg.append(band);
    }
    const l = Math.max(p.xf, Math.min(start, now)), r = Math.min(p.xt, Math.max(start, now));
    band.setAttribute('x', l); band.setAttribute('width', Math.max(0, r - l));
    band.setAttribute('y', Math.min(p.yf, p.yt)); band.setAttribute('height', Math.abs(p.yf - p.yt));
  });
  const end = event => {
    if (start === null) return;
    const now = place(p, event), l = Math.max(p.xf, Math.min(start, now)), r = Math.min(p.xt, Math.max(start, now));
    if (band) { band.remove(); band = null; }
    if (!pan && r - l > 5) show(p, value(p, l, window0), value(p, r, window0));
    start = null;
  };
  p.svg.addEventListener('pointerup', end);
  p.svg.addEventListener('pointercancel', () => { if (band) band.remove(); band = null; start = null; });
  p.svg.addEventListener('pointerleave', unread);
  p.svg.addEventListener('blur', unread);
  p.svg.addEventListener('dblclick', event => { if (!event.target.closest('.key')) { unread(); show(p, p.xl, p.xh); } });
  p.svg.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    unread();
    zoom(p, value(p, place(p, event), span(p)), Math.exp(event.deltaY / 400));
  }, {passive: false});
  p.svg.addEventListener('keydown', event => {
    if (event.target !== p.svg || event.ctrlKey || event.metaKey || event.altKey) return;
    const [a, b] = span(p), here = p.at >= a && p.at <= b ? p.at : (a + b) / 2, way = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (way && event.shiftKey) move(p, [a, b], way * (b - a) / 8);
    else if (way) read(p, Math.max(a, Math.min(b, here + way * (b - a) / 100)));
    else if (event.key === '+') { zoom(p, here, 0.5); read(p, here); }
    else if (event.key === '-') { zoom(p, here, 2); read(p, here); }
    else if (event.key === 'Escape') { unread(); show(p, p.xl, p.xh); }
    else return;
    event.preventDefault();
  });
}

// A line's name in the legend hides it and brings it back, in all figures in which a line has that name.
const keys = [...document.querySelectorAll('svg .key')];
function toggle(key) {
  const off = key.getAttribute('aria-pressed') === 'true';
  for (const k of keys) {
    if (k.dataset.name !== key.dataset.name) continue;
    k.setAttribute('aria-pressed', String(!off));
    for (const g of k.ownerSVGElement.querySelectorAll('.series'))
      if (g.dataset.name === k.dataset.name) g.style.display = off ? 'none' : '';
  }
  for (const p of plots) if (p.window) draw(p, ...p.window);
}
for (const key of keys) {
  key.setAttribute('role', 'button'); key.setAttribute('tabindex', '0'); key.setAttribute('aria-pressed', 'true');
  key.addEventListener('click', () => toggle(key));
  key.addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ') { toggle(key); event.preventDefault(); }
  });
}

// What is long is folded for reading, and open on paper.
const folds = [...document.querySelectorAll('details.long')];
folds.forEach(d => { d.open = false; });
let folded = [];
addEventListener('beforeprint', () => { unread(); folded = folds.filter(d => !d.open); folded.forEach(d => { d.open = true; }); });
addEventListener('afterprint', () => folded.forEach(d => { d.open = false; }));

const root = document.documentElement, button = document.getElementById('theme');
button.hidden = false;
button.addEventListener('click', () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
});
root.dataset.figures = plots.length;
})();)js";
}

}  // namespace ricochet
