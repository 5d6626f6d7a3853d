// Curves over time, linked to the cursor: a click goes there, a drag zooms all of them.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { css, curveColor } from './look';
import type { Run } from './run';

const GROUPS = ['energy', 'gaps', 'velocities', 'angular velocities', 'positions', 'angular positions', 'reactions'];
const EXACT = 4000; // rows that are drawn one by one

interface Panel { group: string; plot: uPlot | null; holder: HTMLElement; curves: number[]; hidden: Set<string> }

export class Plots {
  private readonly panels: Panel[] = [];
  private time = 0;
  private range: [number, number] | null = null;
  private setting = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly runs: Run[],
    private readonly seek: (t: number) => void,
  ) {
    const there = GROUPS.filter((g) => runs[0].about.curves.some((c) => c.group === g));
    const shown = there.filter((g) => g === 'energy' || g === 'gaps' || g === 'velocities');
    for (const group of shown.length > 0 ? shown : there.slice(0, 2)) this.addPanel(group, there);
    new ResizeObserver(() => this.resize()).observe(root);
  }

  private addPanel(group: string, there: string[]) {
    const section = document.createElement('section'), title = document.createElement('h2');
    const choice = document.createElement('select');
    choice.setAttribute('aria-label', 'curves');
    for (const g of there) choice.add(new Option(g, g, g === group, g === group));
    title.append(choice);
    const holder = document.createElement('div');
    section.append(title, holder);
    this.root.append(section);
    const panel: Panel = { group, plot: null, holder, curves: [], hidden: new Set() };
    choice.onchange = () => { panel.group = choice.value; panel.hidden.clear(); this.build(panel); };
    this.panels.push(panel);
    this.build(panel);
  }

  rebuild() { for (const p of this.panels) this.build(p); }

  private data(panel: Panel): uPlot.AlignedData {
    const first = this.runs[0].overview;
    const x: number[] | Float64Array = first.t;
    const columns = panel.curves.map((k) => first.values[k]);
    if (this.runs.length < 2) return [x, ...columns] as unknown as uPlot.AlignedData;
    // The second result on the times of both.
    const second = this.runs[1], names = second.about.curves.map((c) => c.name);
    const others = panel.curves.map((k) => names.indexOf(this.runs[0].about.curves[k].name));
    const a: uPlot.AlignedData = [x, ...columns] as unknown as uPlot.AlignedData;
    const b = [second.overview.t, ...others.map((k) => (k < 0 ? new Float64Array(second.overview.t.length).fill(NaN) : second.overview.values[k]))];
    return uPlot.join([unique(a), unique(b as unknown as uPlot.AlignedData)]);
  }

  private build(panel: Panel) {
    const { about } = this.runs[0];
    panel.plot?.destroy();
    panel.curves = about.curves.map((c, k) => (c.group === panel.group ? k : -1)).filter((k) => k >= 0).slice(0, 12);
    const units = [...new Set(panel.curves.map((k) => about.curves[k].unit))];
    const unit = units.length === 1 && units[0] ? units[0] : units.filter(Boolean).join(', ');
    const series: uPlot.Series[] = [{}];
    const short = (name: string) => name.replace(/^(gap|v|q|reaction)\./, '') + (units.length > 1 ? ` [${about.curves[about.curves.findIndex((c) => c.name === name)].unit || '–'}]` : '');
    const add = (dashed: boolean) => panel.curves.forEach((k, i) => series.push({
      label: short(about.curves[k].name) + (dashed ? ' (2)' : ''),
      stroke: curveColor(i),
      width: dashed ? 1 : 1.5,
      dash: dashed ? [5, 4] : undefined,
      show: !panel.hidden.has(about.curves[k].name),
      points: { show: false },
      spanGaps: true,
    }));
    add(false);
    if (this.runs.length > 1) add(true);
    const soft = css('soft'), line = css('line');
    const axis = (label: string, size: number): uPlot.Axis => ({
      stroke: soft, label, labelSize: 14, labelFont: '11px system-ui', font: '10.5px system-ui', size, labelGap: 0,
      grid: { stroke: line, width: 1 }, ticks: { stroke: line, size: 4 },
    });
    const options: uPlot.Options = {
      width: this.root.clientWidth || 360,
      height: 150,
      legend: { show: panel.curves.length <= 12, live: false },
      cursor: { sync: { key: 'time' }, drag: { x: true, y: false }, points: { size: 5 } },
      scales: { x: { time: false }, y: { range: (_, low, high) => room(low, high) } },
      axes: [axis('t [s]', 30), { ...axis(unit ? `[${unit}]` : '', 54), values: (_, v) => v.map(tick) }],
      series,
      hooks: {
        draw: [(u) => this.marker(u)],
        setScale: [(u, key) => { if (key === 'x') this.zoomed(u); }],
        setSeries: [(_, i, s) => {
          if (i === null || s.show === undefined) return;
          const name = about.curves[panel.curves[(i - 1) % panel.curves.length]].name;
          if (s.show) panel.hidden.delete(name); else panel.hidden.add(name);
        }],
      },
    };
    panel.plot = new uPlot(options, this.data(panel), panel.holder);
    panel.plot.over.addEventListener('click', (e) => {
      if (!panel.plot) return;
      const box = panel.plot.over.getBoundingClientRect();
      if (panel.plot.select.width < 3) this.seek(panel.plot.posToVal(e.clientX - box.left, 'x'));
    });
  }

  private marker(u: uPlot) {
    const x = u.valToPos(this.time, 'x', true), { ctx, bbox } = u;
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = css('accent');
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  /** One plot was zoomed: the others follow, and short times are drawn row by row. */
  private zoomed(u: uPlot) {
    if (this.setting) return;
    const { min, max } = u.scales.x;
    if (min === undefined || max === undefined || min === null || max === null) return;
    const whole = this.runs[0].overview.t;
    this.range = min <= whole[0] && max >= whole[whole.length - 1] ? null : [min, max];
    this.setting = true;
    for (const p of this.panels) if (p.plot && p.plot !== u) p.plot.setScale('x', { min, max });
    this.setting = false;
    void this.refine();
  }

  private async refine() {
    const run = this.runs[0], range = this.range;
    const thinned = run.overview.t.length < run.frames;
    if (!thinned || this.runs.length > 1) return;
    if (!range) { this.setAll((p) => this.data(p)); return; }
    const a = run.at(range[0]), b = Math.min(run.at(range[1]) + 1, run.frames - 1);
    if (b - a > EXACT) { this.setAll((p) => this.data(p)); return; }
    const size = run.about.frames_in_piece, rows: { t: number; at: Float64Array }[] = [];
    for (let k = Math.floor(a / size); k <= Math.floor(b / size); ++k) {
      const piece = await run.fetch(k);
      for (let i = 0; i < piece.frames; ++i)
        if (piece.first + i >= a && piece.first + i <= b)
          rows.push({ t: piece.t[i], at: piece.numbers.subarray(i * piece.curves, (i + 1) * piece.curves) });
    }
    if (this.range !== range) return;
    this.setAll((p) => [rows.map((r) => r.t), ...p.curves.map((k) => rows.map((r) => r.at[k]))]);
    this.setting = true;
    for (const p of this.panels) p.plot?.setScale('x', { min: range[0], max: range[1] });
    this.setting = false;
  }

  private setAll(data: (p: Panel) => uPlot.AlignedData) {
    this.setting = true;
    for (const p of this.panels) p.plot?.setData(data(p), this.range === null);
    this.setting = false;
  }

  /** New rows of a run that goes on. */
  refresh() { if (!this.range) this.setAll((p) => this.data(p)); }

  cursor(t: number) {
    if (t === this.time) return;
    this.time = t;
    for (const p of this.panels) p.plot?.redraw(false, false);
  }

  private resize() {
    const width = this.root.clientWidth;
    if (width > 0) for (const p of this.panels) p.plot?.setSize({ width, height: 150 });
  }
}

/** Equal times, both sides of a jump, a hair apart: joining tables needs increasing ones. */
function unique(data: uPlot.AlignedData): uPlot.AlignedData {
  const x = Array.from(data[0] as ArrayLike<number>);
  for (let i = 1; i < x.length; ++i) if (x[i] <= x[i - 1]) x[i] = x[i - 1] + Math.abs(x[i - 1]) * 1e-15 + 1e-300;
  return [x, ...data.slice(1).map((y) => Array.from(y as ArrayLike<number>))] as uPlot.AlignedData;
}

/** A little more than the values; something where they are all the same. */
function room(low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [-1, 1];
  const span = high - low, more = span > 0 ? 0.06 * span : Math.abs(high) > 0 ? 0.1 * Math.abs(high) : 1e-6;
  return [low - more, high + more];
}

function tick(v: number): string {
  if (v === null || v === undefined) return '';
  if (v === 0) return '0';
  const size = Math.abs(v);
  return size >= 1e4 || size < 1e-3 ? v.toExponential(1) : String(Number(v.toPrecision(4)));
}
