// Contacts and joints of a frame: where they are, which way they push and how hard, their cones, their gaps magnified.
import {
  CircleGeometry, Color, ConeGeometry, DoubleSide, Group, MeshBasicMaterial, Quaternion, RingGeometry, SphereGeometry, Vector3,
} from 'three';
import { CylinderGeometry, PlaneGeometry } from 'three';
import { JOINT, STATES } from './data';
import type { Figure } from './figure';
import { Layer } from './layer';
import { cssColor } from './look';
import type { Frame, Run } from './run';
import type { Stage } from './stage';

export interface Shown {
  contacts: boolean;
  forces: boolean;
  cones: boolean;
  joints: boolean;
  magnify: number;
}

const GLOW = 300; // ms for which an impact is seen while time runs

export class Contacts {
  private readonly group = new Group();
  private readonly dot: Layer;
  private readonly rod: Layer;
  private readonly head: Layer;
  private readonly cone: Layer;
  private readonly ring: Layer;
  private colors: Record<string, Color> = {};
  private readonly glow = new Map<number, { force: Vector3; point: Vector3; since: number }>();
  private last = -1;
  private readonly q = new Quaternion();
  private readonly p = new Vector3();
  private readonly n = new Vector3();
  private readonly d = new Vector3();

  constructor(private readonly run: Run, private readonly figure: Figure, private readonly stage: Stage) {
    const planar = stage.axes.planar;
    const flat = (opacity = 1) => new MeshBasicMaterial({
      transparent: true, opacity, depthTest: false, depthWrite: false, side: DoubleSide,
    });
    const rod = planar ? new PlaneGeometry(1, 1) : new CylinderGeometry(0.5, 0.5, 1, 8);
    if (!planar) rod.rotateZ(Math.PI / 2);
    rod.translate(0.5, 0, 0);
    // a triangle in the plane, a cone in space; its tip at x = 1
    const head = planar ? new CircleGeometry(0.58, 3) : new ConeGeometry(0.5, 1, 14);
    if (!planar) head.rotateZ(-Math.PI / 2);
    head.translate(planar ? 0.4 : 0.5, 0, 0);
    // half angle 45 degrees, opened by its scale
    const cone = planar ? new CircleGeometry(1, 3) : new ConeGeometry(1, 1, 28, 1, true);
    if (planar) {
      const position = cone.getAttribute('position');
      [[0, 0], [0, 0], [1, 1], [1, -1], [0, 0]].forEach(([x, y], i) => position.setXYZ(i, x, y, 0));
    } else cone.rotateZ(Math.PI / 2).translate(0.5, 0, 0);
    this.cone = new Layer(this.group, cone, flat(0.16), 30);
    this.ring = new Layer(this.group, new RingGeometry(0.985, 1, 64), flat(0.9), 31);
    this.rod = new Layer(this.group, rod, flat(), 32);
    this.head = new Layer(this.group, head, flat(), 33);
    this.dot = new Layer(this.group, planar ? new CircleGeometry(1, 20) : new SphereGeometry(1, 12, 8), flat(), 34);
    stage.scene.add(this.group);
    this.recolor();
  }

  recolor() {
    for (const name of [...STATES, 'impact', 'text', 'soft']) this.colors[name] = cssColor(name);
  }

  /** Forces of the frames that were passed over stay for a moment. */
  private gather(frame: number, playing: boolean, now: number) {
    if (!playing || this.last < 0 || frame < this.last || frame - this.last > 2000) {
      this.glow.clear();
      this.last = frame;
      return;
    }
    for (let i = this.last + 1; i <= frame; ++i) {
      const f = this.run.frame(i, false);
      if (!f) continue;
      const { piece } = f;
      for (let c = piece.offset[f.k]; c < piece.offset[f.k + 1]; ++c) {
        const item = this.run.about.items[piece.item[c]];
        if (piece.state[c] !== 0 || !(piece.P[3 * c] > 0) || !item || item.rubbing) continue;
        const force = new Vector3(piece.force[3 * c], piece.force[3 * c + 1], piece.force[3 * c + 2]);
        const old = this.glow.get(piece.item[c]);
        if (old && now - old.since < GLOW && old.force.lengthSq() > force.lengthSq()) continue;
        const point = new Vector3(piece.point[3 * c], piece.point[3 * c + 1], piece.point[3 * c + 2]);
        this.glow.set(piece.item[c], { force, point, since: now });
      }
    }
    this.last = frame;
  }

  /** Returns whether something is still fading. */
  draw(frame: number, shown: Shown, playing: boolean): boolean {
    const now = performance.now();
    this.gather(frame, playing, now);
    const layers = [this.dot, this.rod, this.head, this.cone, this.ring];
    for (const l of layers) l.begin();
    const f = this.run.frame(frame);
    if (f) this.drawFrame(f, shown);
    let fading = false;
    if (shown.forces)
      for (const [item, g] of this.glow) {
        const age = (now - g.since) / GLOW;
        if (age >= 1) { this.glow.delete(item); continue; }
        fading = true;
        this.arrow(g.point, g.force, this.run.about.largest_impulse, this.colors.impact, 1 - age);
      }
    for (const l of layers) l.end();
    return fading;
  }

  private drawFrame(f: Frame, shown: Shown) {
    const { piece } = f, px = this.stage.pixel(), { items } = this.run.about;
    for (let c = piece.offset[f.k]; c < piece.offset[f.k + 1]; ++c) {
      const state = piece.state[c], joint = state === JOINT;
      if (joint ? !shown.joints : !(shown.contacts || shown.forces || shown.cones || shown.magnify > 1)) continue;
      this.p.set(piece.point[3 * c], piece.point[3 * c + 1], piece.point[3 * c + 2]);
      if (!Number.isFinite(this.p.x)) continue;
      this.n.set(piece.normal[3 * c], piece.normal[3 * c + 1], piece.normal[3 * c + 2]);
      this.d.set(piece.force[3 * c], piece.force[3 * c + 1], piece.force[3 * c + 2]);
      const hit = !joint && state === 0 && piece.P[3 * c] > 0 && !items[piece.item[c]]?.rubbing;
      const color = this.colors[hit ? 'impact' : STATES[state]];
      const mu = piece.item[c] >= 0 ? items[piece.item[c]].mu : 0;
      if (joint) {
        this.arrow(this.p, this.d, this.run.about.largest_reaction, color, 1);
        continue;
      }
      if (shown.contacts) {
        this.stage.axes.angle(0, this.q);
        const r = (state === 0 && !hit ? 3 : 5) * px;
        this.dot.put(this.p.x, this.p.y, this.p.z, this.q, r, r, this.stage.axes.planar ? 1 : r, color, c);
        this.line(this.p, this.n, 20 * px, 1.6 * px, color);
      }
      if (shown.cones && mu > 0) {
        this.stage.axes.along(this.n.x, this.n.y, this.n.z, this.q);
        const l = 46 * px;
        this.cone.put(this.p.x, this.p.y, this.p.z, this.q, l, l * mu, l * mu, color);
      }
      if (shown.magnify > 1) this.gapBar(piece.gap[c], shown.magnify, color, px);
      if (shown.forces) this.arrow(this.p, this.d, this.run.about.largest_impulse, color, 1);
    }
    if (shown.magnify > 1) this.plays(f, shown.magnify, px);
  }

  private line(p: Vector3, direction: Vector3, length: number, width: number, color: Color) {
    if (!(length > 0)) return;
    this.stage.axes.along(direction.x, direction.y, direction.z, this.q);
    this.rod.put(p.x, p.y, p.z, this.q, length, width, width, color);
  }

  /** As long as the root of its part of the largest: small ones are seen too. */
  private arrow(p: Vector3, force: Vector3, largest: number, color: Color, strength: number) {
    const size = force.length();
    if (!(size > 0) || !(largest > 0)) return;
    const px = this.stage.pixel();
    const length = 110 * px * Math.sqrt(Math.min(size / largest, 1)) * (0.5 + 0.5 * strength);
    const head = Math.min(11 * px, 0.6 * length);
    this.stage.axes.along(force.x / size, force.y / size, force.z / size, this.q);
    this.rod.put(p.x, p.y, p.z, this.q, length - 0.8 * head, 2.6 * px * strength, 2.6 * px * strength, color);
    const k = (length - head) / size;
    this.head.put(p.x + k * force.x, p.y + k * force.y, p.z + k * force.z, this.q, head, 0.8 * head * strength,
      0.8 * head * strength, color);
  }

  /** The gap, so many times as long as it is, with the surface at its end. */
  private gapBar(gap: number, magnify: number, color: Color, px: number) {
    const length = Math.min(gap * magnify, 0.8 * this.stage.size);
    if (!(length > 1.5 * px)) return;
    const away = this.n.clone().negate();
    this.line(this.p, away, length, 1.2 * px, color);
    const side = new Vector3().crossVectors(this.stage.axes.planar ? this.stage.axes.n : new Vector3(1, 0.3, 0.2), this.n).normalize();
    const end = this.p.clone().addScaledVector(away, length).addScaledVector(side, -7 * px);
    this.line(end, side, 14 * px, 2 * px, color);
  }

  /** A pin in its bush, with the play magnified: a circle, and the centre of the pin in it. */
  private plays(f: Frame, magnify: number, px: number) {
    for (const s of this.run.about.shapes) {
      if (s.kind !== 'play') continue;
      const bush = this.figure.point(s, f, 0, new Vector3());
      const pin = this.figure.point(s, f, 3, new Vector3(), s.other ?? -1);
      const radius = Math.min(s.values[9] * magnify, 0.4 * this.stage.size), k = radius / s.values[9];
      this.stage.axes.angle(0, this.q);
      this.ring.put(bush.x, bush.y, bush.z, this.q, radius, radius, 1, this.colors.soft);
      const at = bush.clone().addScaledVector(pin.sub(bush), k);
      this.dot.put(at.x, at.y, at.z, this.q, 4 * px, 4 * px, 4 * px, this.colors.text);
    }
  }
}
