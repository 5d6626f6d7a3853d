// The script of a Page: zoom and pan of figures over a common axis. A figure (page/svg) carries the values and pixels
// of its axes in data-zoom, its lines as places along the axes (0 to 1) in data-d, its boxes in data-x0 and data-x1,
// and its horizontal rules in data-h. Without the script the page shows the whole span.
namespace ricochet {

const char* zoom_script();

const char* zoom_script() {
  return R"js((() => {
'use strict';
const plots = [...document.querySelectorAll('svg[data-zoom]')].map(svg => {
  const [xl, xh, xf, xt, yl, yh, yf, yt, free] = svg.dataset.zoom.split(' ').map(Number);
  const decode = text => {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  };
  const lines = [...svg.querySelectorAll('[data-d]')].map(path => ({
    path, whole: path.getAttribute('d'), d: decode(path.dataset.d), step: 'step' in path.dataset, closed: 'closed' in path.dataset}));
  const boxes = [...svg.querySelectorAll('[data-x0]')].map(rect => ({
    rect, x0: Number(rect.dataset.x0), x1: Number(rect.dataset.x1), x: rect.getAttribute('x'), w: rect.getAttribute('width')}));
  const rules = [...svg.querySelectorAll('[data-h]')].map(path => ({path, h: Number(path.dataset.h), whole: path.getAttribute('d')}));
  const parts = ['gx', 'gy', 'lx', 'ly'].map(name => svg.querySelector('.' + name));
  const originals = parts.map(p => p.tagName === 'path' ? p.getAttribute('d') : p.innerHTML);
  return {svg, xl, xh, xf, xt, yl, yh, yf, yt, free, lines, boxes, rules, parts, originals, axis: svg.dataset.axis};
});
const px = x => Math.max(-1e5, Math.min(1e5, x)).toFixed(1);

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
  p.lines.forEach(l => l.path.setAttribute('d', l.whole));
  p.boxes.forEach(b => { b.rect.setAttribute('x', b.x); b.rect.setAttribute('width', b.w); });
  p.rules.forEach(r => r.path.setAttribute('d', r.whole));
  p.parts.forEach((e, i) => e.tagName === 'path' ? e.setAttribute('d', p.originals[i]) : e.innerHTML = p.originals[i]);
  p.window = null;
}

function draw(p, a, b) {
  p.window = [a, b];
  const fa = (a - p.xl) / (p.xh - p.xl), fb = (b - p.xl) / (p.xh - p.xl);
  // What is seen, with a neighbour to each side; the y axis follows it.
  let lo = Infinity, hi = -Infinity;
  const shown = p.lines.map(l => {
    const d = l.d, n = d.length / 2;
    let i = 0, j = n;
    if (!l.closed) {
      while (i + 1 < n && !(d[2 * i + 2] >= fa)) ++i;
      j = i;
      while (j < n && !(d[2 * j] > fb)) ++j;
      j = Math.min(n, j + 1);
    }
    for (let k = i; k < j; ++k) if (d[2 * k] >= fa && d[2 * k] <= fb && isFinite(d[2 * k + 1])) { lo = Math.min(lo, d[2 * k + 1]); hi = Math.max(hi, d[2 * k + 1]); }
    return [i, j];
  });
  let ya = 0, yb = 1;
  if (p.free && lo <= hi) {
    const air = hi > lo ? 0.06 * (hi - lo) : 0.05;
    ya = lo - air; yb = hi + air;
  }
  const X = f => p.xf + (f - fa) / (fb - fa) * (p.xt - p.xf), Y = f => p.yf + (f - ya) / (yb - ya) * (p.yt - p.yf);
  p.lines.forEach((l, k) => {
    const [i, j] = shown[k];
    let text = '', pen = false;
    for (let m = i; m < j; ++m) {
      const x = l.d[2 * m], y = l.d[2 * m + 1];
      if (!isFinite(x) || !isFinite(y)) { pen = false; continue; }
      text += pen ? (l.step ? 'H' + px(X(x)) + 'V' + px(Y(y)) : 'L' + px(X(x)) + ' ' + px(Y(y))) : 'M' + px(X(x)) + ' ' + px(Y(y));
      pen = true;
    }
    l.path.setAttribute('d', text + (l.closed && text ? 'z' : ''));
  });
  p.boxes.forEach(b => { b.rect.setAttribute('x', px(X(b.x0))); b.rect.setAttribute('width', Math.max(0.25, X(b.x1) - X(b.x0)).toFixed(2)); });
  p.rules.forEach(r => r.path.setAttribute('d', r.h < ya || r.h > yb ? '' : 'M' + px(p.xf) + ' ' + px(Y(r.h)) + 'H' + px(p.xt)));
  const floor = Math.max(p.yf, p.yt), top = Math.min(p.yf, p.yt);
  const xs = ticks(a, b, Math.max(2, Math.floor((p.xt - p.xf) / 90)));
  const at = v => px(X((v - p.xl) / (p.xh - p.xl)));
  p.parts[0].setAttribute('d', xs.map(([v]) => 'M' + at(v) + ' ' + px(floor) + 'V' + px(top)).join(''));
  p.parts[2].innerHTML = xs.map(([v, t]) => `<text x="${at(v)}" y="${px(floor + 18)}" text-anchor="middle">${t}</text>`).join('');
  if (!p.free) return;
  const value = f => p.yl + f * (p.yh - p.yl), height = v => px(Y((v - p.yl) / (p.yh - p.yl)));
  const ys = ticks(value(ya), value(yb), Math.max(2, Math.floor((floor - top) / 40)));
  p.parts[1].setAttribute('d', ys.map(([v]) => 'M' + px(p.xf) + ' ' + height(v) + 'H' + px(p.xt)).join(''));
  p.parts[3].innerHTML = ys.map(([v, t]) => `<text x="${px(p.xf - 7)}" y="${(Number(height(v)) + 4.5).toFixed(1)}" text-anchor="end">${t}</text>`).join('');
}

// All figures over the same axis show the same span.
function show(from, a, b) {
  const whole = b - a >= (from.xh - from.xl) * (1 - 1e-9) || !(b - a > (from.xh - from.xl) * 1e-6);
  for (const p of plots)
    if (p.axis === from.axis) whole ? restore(p) : draw(p, a, b);
}
const span = p => p.window || [p.xl, p.xh];

function place(p, event) {  // in units of the figure, whatever its size on the page
  const box = p.svg.getBoundingClientRect();
  return (event.clientX - box.left) / box.width * p.svg.viewBox.baseVal.width;
}
const value = (p, x, [a, b]) => a + (x - p.xf) / (p.xt - p.xf) * (b - a);

for (const p of plots) {
  let start = null, window0 = null, band = null, pan = false;
  p.svg.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    start = place(p, event); window0 = span(p); pan = event.shiftKey;
    p.svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  p.svg.addEventListener('pointermove', event => {
    if (start === null) return;
    const now = place(p, event);
    if (pan) {
      const shift = value(p, start, window0) - value(p, now, window0), width = window0[1] - window0[0];
      const a = Math.max(p.xl, Math.min(p.xh - width, window0[0] + shift));
      show(p, a, a + width);
      return;
    }
    if (!band) {
      band = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      band.setAttribute('fill', '#0072b2'); band.setAttribute('fill-opacity', '.15');
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
  p.svg.addEventListener('dblclick', () => show(p, p.xl, p.xh));
  p.svg.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [a, b] = span(p), c = value(p, place(p, event), [a, b]), f = Math.exp(event.deltaY / 400);
    show(p, Math.max(p.xl, c + (a - c) * f), Math.min(p.xh, c + (b - c) * f));
  }, {passive: false});
}
document.documentElement.dataset.figures = plots.length;
})();)js";
}

}  // namespace ricochet
