// The numbers of the frame: of what was pointed at, or of the whole system.
import { JOINT, STATES } from './data';
import { number } from './look';
import type { Frame, Run } from './run';

export type Picked = { kind: 'item'; name: string } | { kind: 'part'; name: string; body: number } | null;

export class Numbers {
  constructor(private readonly root: HTMLElement) {}

  show(run: Run, f: Frame, picked: Picked) {
    const rows: [string, string, string][] = [];
    let title = 'system';
    if (picked?.kind === 'item') title = this.item(run, f, picked.name, rows);
    else if (picked) title = this.part(run, f, picked, rows);
    if (rows.length === 0) {
      this.curves(run, f, (c) => c.group === 'energy', rows);
      this.worst(run, f, rows);
    }
    const table = document.createElement('table');
    for (const [name, value, unit] of rows) {
      const row = table.insertRow(), head = document.createElement('th');
      head.textContent = name;
      head.scope = 'row';
      row.append(head);
      row.insertCell().textContent = value;
      const cell = row.insertCell();
      cell.className = 'unit';
      cell.textContent = unit;
    }
    const heading = document.createElement('h2');
    heading.textContent = title;
    this.root.style.order = picked ? '-1' : ''; // what was asked for comes first
    this.root.replaceChildren(heading, table);
  }

  private curves(run: Run, f: Frame, keep: (c: { name: string; group: string; unit: string }) => boolean, rows: [string, string, string][]) {
    run.about.curves.forEach((c, k) => {
      if (keep(c)) rows.push([c.name, number(f.piece.numbers[f.k * f.piece.curves + k]), c.unit]);
    });
  }

  private worst(run: Run, f: Frame, rows: [string, string, string][]) {
    const { piece } = f;
    let least = Infinity, name = '', closed = 0;
    for (let c = piece.offset[f.k]; c < piece.offset[f.k + 1]; ++c) {
      if (piece.state[c] === JOINT) continue;
      if (piece.state[c] > 0) ++closed;
      if (piece.gap[c] < least) { least = piece.gap[c]; name = piece.item[c] >= 0 ? run.about.items[piece.item[c]].name : ''; }
    }
    if (Number.isFinite(least)) rows.push([`least gap${name ? ` (${name})` : ''}`, number(least), 'm']);
    rows.push(['closed contacts', String(closed), '']);
  }

  private item(run: Run, f: Frame, name: string, rows: [string, string, string][]): string {
    const { piece } = f, which = run.about.items.findIndex((i) => i.name === name);
    for (let c = piece.offset[f.k]; c < piece.offset[f.k + 1]; ++c) {
      if (piece.item[c] !== which) continue;
      const about = run.about.items[which], joint = piece.state[c] === JOINT, dim = Math.min(about.dim, 3);
      const parts = joint || about.rubbing ? ['1', '2', '3'] : ['N', 'T', 'T2'];
      const [length, multiplier] = about.turns ? ['rad', joint ? 'moment' : 'angular impulse'] : ['m', joint ? 'force' : 'impulse'];
      const unit = `N${about.turns ? ' m' : ''}${joint ? '' : ' s'}`;
      if (!joint) rows.push(['state', STATES[piece.state[c]], '']);
      if (!about.rubbing) rows.push([joint ? 'residual' : 'gap', number(piece.gap[c]), length]);
      for (let k = 0; k < dim; ++k) rows.push([`U ${parts[k]}`, number(piece.U[3 * c + k]), `${length}/s`]);
      for (let k = 0; k < dim; ++k) rows.push([`${multiplier} ${parts[k]}`, number(piece.P[3 * c + k]), unit]);
      if (!about.turns) {
        const size = Math.hypot(piece.force[3 * c], piece.force[3 * c + 1], piece.force[3 * c + 2]);
        rows.push([`size of the ${multiplier}`, number(size), unit]);
      }
      if (!about.rubbing && about.mu > 0) rows.push(['µ', number(about.mu), '']);
      break;
    }
    const about = run.about.items[which];
    return `${about?.joint ? 'joint' : about?.rubbing ? 'friction or motor' : 'contact'} ${name}`;
  }

  /** The most deformed node of a flexible body, and its largest stress. */
  private elastic(run: Run, f: Frame, body: number, rows: [string, string, string][]) {
    const { flexible } = run.about, u = f.piece.nodes;
    const first = flexible.slice(0, body).reduce((sum, b) => sum + b.reference.length / 3, 0);
    let far = 0, stress = -1;
    for (let i = first; i < first + flexible[body].reference.length / 3; ++i) {
      const d = 4 * (f.k * f.piece.nodeCount + i);
      far = Math.max(far, Math.hypot(u[d], u[d + 1], u[d + 2]));
      stress = Math.max(stress, u[d + 3]);
    }
    rows.push(['largest deformation', number(far), 'm']);
    if (stress >= 0) rows.push(['largest stress', number(stress), 'Pa']);
  }

  private part(run: Run, f: Frame, picked: { name: string; body: number }, rows: [string, string, string][]): string {
    const flexible = run.about.flexible.findIndex((b) => b.name === picked.name);
    if (flexible >= 0) this.elastic(run, f, flexible, rows);
    if (picked.body < 0) {
      if (flexible >= 0) return picked.name;
      this.curves(run, f, (c) => /positions|velocities/.test(c.group), rows);
      return picked.name;
    }
    const name = run.about.bodies[picked.body];
    this.curves(run, f, (c) => c.name.startsWith(`q.${name}.`) || c.name.startsWith(`v.${name}.`), rows);
    if (rows.length === 0) {
      const o = 7 * (f.k * f.piece.bodies + picked.body);
      ['x', 'y', 'z'].forEach((axis, k) => rows.push([axis, number(f.piece.pose[o + k]), 'm']));
    }
    return `body ${name}`;
  }
}
