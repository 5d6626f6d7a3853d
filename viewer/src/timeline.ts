// The bar of time: what happened, and where we are.
import { css } from './look';
import type { Run } from './run';

const LANES = ['impact', 'opening', 'sticking', 'sliding'];
const COLORS: Record<string, string> = { impact: 'impact', opening: 'open', sticking: 'sticking', sliding: 'sliding' };

export class Timeline {
  private time = 0;
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly run: Run,
    seek: (t: number) => void,
  ) {
    let down = false;
    const go = (e: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      seek(this.from + Math.min(Math.max((e.clientX - box.left) / box.width, 0), 1) * (this.to - this.from));
    };
    canvas.addEventListener('pointerdown', (e) => { down = true; canvas.setPointerCapture(e.pointerId); go(e); });
    canvas.addEventListener('pointermove', (e) => { if (down) go(e); });
    canvas.addEventListener('pointerup', () => { down = false; });
    canvas.addEventListener('pointercancel', () => { down = false; });
    new ResizeObserver(() => this.draw(this.time)).observe(canvas);
    canvas.setAttribute('aria-valuemin', String(this.from));
    canvas.setAttribute('aria-valuemax', String(this.to));
  }

  private get from() { return this.run.times[0]; }
  private get to() {
    const last = this.run.times[this.run.frames - 1];
    return this.run.about.live ? Math.max(last, this.run.about.until) : Math.max(last, this.from + 1e-300);
  }

  draw(t: number) {
    this.time = t;
    const { canvas } = this, ratio = devicePixelRatio, w = canvas.clientWidth, h = canvas.clientHeight;
    if (w === 0) return;
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    const c = canvas.getContext('2d')!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, h);
    const x = (time: number) => ((time - this.from) / (this.to - this.from)) * w;
    const lane = (h - 16) / LANES.length;
    c.fillStyle = css('panel');
    c.fillRect(0, 0, w, h - 16);
    const { events } = this.run.about;
    for (let i = 0; i < events.t.length; ++i) {
      const name = events.names[events.kind[i]], k = Math.max(LANES.indexOf(name), 0);
      c.fillStyle = css(COLORS[name] ?? 'soft');
      c.fillRect(x(events.t[i]) - 0.75, k * lane + 1, 1.5, lane - 2);
    }
    c.strokeStyle = css('line');
    c.strokeRect(0.5, 0.5, w - 1, h - 17);
    c.fillStyle = css('soft');
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'bottom';
    c.textAlign = 'left';
    c.fillText(`${Number(this.from.toPrecision(4))} s`, 0, h);
    c.textAlign = 'right';
    c.fillText(`${Number(this.to.toPrecision(4))} s`, w, h);
    c.fillStyle = css('accent');
    const at = x(t);
    c.globalAlpha = 0.14;
    c.fillRect(0, 0, at, h - 16);
    c.globalAlpha = 1;
    c.fillRect(at - 1, 0, 2, h - 16);
    c.beginPath();
    c.arc(at, h - 16, 5, 0, 7);
    c.fill();
    canvas.setAttribute('aria-valuenow', t.toPrecision(5));
    canvas.setAttribute('aria-valuetext', `${t.toPrecision(5)} s`);
  }

  /** The time of the event before or after t. */
  event(t: number, direction: number): number {
    const times = this.run.about.events.t;
    let best = direction > 0 ? this.to : this.from;
    for (const e of times) {
      if (direction > 0 && e > t * (1 + 1e-12) + 1e-300 && e < best) best = e;
      if (direction < 0 && e < t * (1 - 1e-12) - 1e-300 && e > best) best = e;
    }
    return best;
  }
}
