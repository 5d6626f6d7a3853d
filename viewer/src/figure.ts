// One run in the scene: its shapes where they are in a frame.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CircleGeometry, Color, CylinderGeometry, DoubleSide, GridHelper, Group, Line,
  LineBasicMaterial, LineSegments, Material, Mesh, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry, Quaternion,
  ShadowMaterial, SphereGeometry, Vector3,
} from 'three';
import type { Shape } from './data';
import { Flexible } from './flexible';
import { Layer } from './layer';
import { cssColor, dark, partColor } from './look';
import type { Frame, Run } from './run';
import type { Stage } from './stage';

export interface FigureOptions { ghost: boolean; trails: boolean; deform: number }

export class Figure {
  readonly group = new Group();
  private readonly solids: { box: Layer; ball: Layer; rod: Layer; rim: Layer; edge: Layer };
  private readonly planar: boolean;
  private readonly colors: Color[] = [];
  private ground = new Color();
  private line = new Color();
  private readonly bars = new Map<Shape, Mesh>();
  readonly flexible: Flexible;
  private deform = 1;
  private readonly trails: { shape: Shape; line: Line }[] = [];
  private readonly planes = new Group();
  private readonly edges: boolean;
  // scratch
  private readonly q = new Quaternion();
  private readonly r = new Quaternion();
  private readonly p = new Vector3();
  private readonly a = new Vector3();
  private readonly b = new Vector3();

  constructor(readonly run: Run, private readonly stage: Stage, private readonly ghost: boolean) {
    this.planar = stage.axes.planar;
    const shapes = run.about.shapes;
    this.edges = shapes.length <= 600;
    const opacity = ghost ? 0.28 : 1;
    const flat = (alpha: number) => new MeshBasicMaterial({
      transparent: true, opacity: alpha, depthTest: !this.planar, depthWrite: !this.planar, side: DoubleSide,
    });
    const solid = (): Material => this.planar
      ? flat(ghost ? 0.1 : 0.32)
      : new MeshLambertMaterial({ transparent: ghost, opacity });
    const strong = (): Material => this.planar ? flat(opacity) : new MeshLambertMaterial({ transparent: ghost, opacity });
    const disc = this.planar ? new CircleGeometry(1, 48) : new SphereGeometry(1, ...(shapes.length > 500 ? [12, 8] : [28, 18]));
    const rod = this.planar ? new PlaneGeometry(1, 1) : new CylinderGeometry(0.5, 0.5, 1, 14);
    if (!this.planar) rod.rotateZ(Math.PI / 2);
    rod.translate(0.5, 0, 0);
    const at = ghost ? 0 : 10;
    this.solids = {
      rim: new Layer(this.group, disc, strong(), at + 1),
      box: new Layer(this.group, new BoxGeometry(1, 1, 1), solid(), at + 2, !ghost),
      ball: new Layer(this.group, disc, this.planar ? flat(ghost ? 0.15 : 1) : solid(), at + 3, !ghost),
      rod: new Layer(this.group, rod, strong(), at + 4, !ghost),
      edge: new Layer(this.group, rod, flat(opacity), at + 5),
    };
    for (const s of shapes) if (s.kind === 'bar') this.addBar(s);
    this.flexible = new Flexible(run, this.group, ghost);
    const traced = shapes.filter((s) => s.trace);
    const bodies = run.about.bodies.length;
    if (bodies > 0 && bodies <= 30)
      for (let b = 0; b < bodies; ++b) traced.push({ kind: 'point', name: '', values: [0, 0, 0], body: b });
    if (!ghost) for (const s of traced) this.addTrail(s);
    this.group.add(this.planes);
    stage.scene.add(this.group);
    this.recolor();
  }

  /** After a change between light and dark. */
  recolor() {
    const { shapes, bodies } = this.run.about;
    let next = bodies.length;
    this.ground = cssColor('ground');
    this.line = cssColor('text');
    shapes.forEach((s, i) => {
      const part = s.body ?? -1;
      if (s.ground) this.colors[i] = this.ground;
      else if (this.ghost) this.colors[i] = cssColor('soft');
      else if (s.flexible !== undefined) this.colors[i] = partColor(s.flexible);
      else this.colors[i] = partColor(part >= 0 ? part : next++);
    });
    this.planes.clear();
    for (const s of shapes) if (s.kind === 'plane' && (s.body ?? -1) < 0 && !this.ghost) this.addPlane(s);
    for (const t of this.trails) {
      const i = t.shape.name ? shapes.indexOf(t.shape) : -1;
      (t.line.material as LineBasicMaterial).color.copy(i >= 0 ? this.colors[i] : partColor(t.shape.body ?? 0));
    }
  }

  private addPlane(s: Shape) {
    const size = 2.6 * this.stage.size, n = new Vector3(s.values[3], s.values[4], s.values[5]).normalize();
    const foot = new Vector3(s.values[0], s.values[1], s.values[2]);
    const whole = this.stage.behind(foot, n) < 0.1 * this.stage.size; // everything is in front of it
    const middle = whole ? this.stage.center.clone().addScaledVector(n, -n.dot(this.stage.center.clone().sub(foot))) : foot;
    const half = whole ? 1.5 * size : this.stage.size;
    if (this.planar) {
      // Matter behind the line.
      const fill = new Mesh(new PlaneGeometry(1, 1), new MeshBasicMaterial({
        color: this.ground, transparent: true, opacity: dark() ? 0.28 : 0.2, depthTest: false, side: DoubleSide,
      }));
      const t = new Vector3().crossVectors(n, this.stage.axes.n);
      this.stage.axes.along(t.x, t.y, t.z, fill.quaternion);
      const depth = 0.05 * this.stage.size;
      fill.scale.set(2 * half, depth, 1);
      fill.position.copy(middle).addScaledVector(n, -depth / 2);
      fill.renderOrder = 2;
      const edge = new Line(
        new BufferGeometry().setFromPoints([
          middle.clone().addScaledVector(t, -half), middle.clone().addScaledVector(t, half)]),
        new LineBasicMaterial({ color: this.ground, depthTest: false }));
      edge.renderOrder = 3;
      this.planes.add(fill, edge);
      return;
    }
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), n);
    const tone = dark() ? new Color('#1a222c') : new Color('#eef1f5');
    const floor = new Mesh(new PlaneGeometry(2 * size, 2 * size), new MeshBasicMaterial({ color: tone })); // not seen from behind
    const shade = new Mesh(new PlaneGeometry(2 * size, 2 * size), new ShadowMaterial({ opacity: dark() ? 0.5 : 0.22 }));
    shade.receiveShadow = true;
    const cell = 10 ** Math.floor(Math.log10(size / 4));
    const count = 2 * Math.ceil(size / cell);
    const lines = dark() ? new Color('#2b3643') : new Color('#d5dbe3');
    const grid = new GridHelper(count * cell, Math.min(count, 80), lines, lines) as LineSegments;
    grid.rotation.x = Math.PI / 2;
    const both = new Group();
    grid.position.z = 0.0006 * size;
    shade.position.z = 0.0004 * size;
    both.add(floor, shade, grid);
    both.quaternion.copy(turn);
    both.position.copy(middle).addScaledVector(n, -0.0008 * size);
    this.planes.add(both);
  }

  private addBar(s: Shape) {
    const nodes = s.values.length - 4;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * nodes), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(6 * nodes), 3));
    const index: number[] = [];
    for (let i = 0; i + 1 < nodes; ++i) index.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2);
    geometry.setIndex(index);
    const mesh = new Mesh(geometry, new MeshBasicMaterial({
      vertexColors: true, side: DoubleSide, depthTest: false, transparent: true, opacity: this.ghost ? 0.4 : 1,
    }));
    mesh.frustumCulled = false;
    mesh.renderOrder = 12;
    this.bars.set(s, mesh);
    this.group.add(mesh);
  }

  /** An elastic bar: displacements magnified, colours from the strain (blue pressed, red drawn). */
  private drawBar(s: Shape, x: ArrayLike<number>, deform: number) {
    const mesh = this.bars.get(s)!, nodes = s.values.length - 4;
    const [length, height] = [s.values[0], s.values[1]];
    const position = mesh.geometry.getAttribute('position') as BufferAttribute;
    const color = mesh.geometry.getAttribute('color') as BufferAttribute;
    let most = 1e-300;
    const strain = (i: number) => {
      const a = Math.max(i - 1, 0), b = Math.min(i + 1, nodes - 1);
      return x[4 + b] - x[4 + a];
    };
    for (let i = 0; i < nodes; ++i) most = Math.max(most, Math.abs(strain(i)));
    const still = dark() ? [0.62, 0.66, 0.7] : [0.78, 0.8, 0.83];
    for (let i = 0; i < nodes; ++i) {
      const u = (i / (nodes - 1)) * length + deform * x[4 + i];
      position.setXYZ(2 * i, u, height, 0);
      position.setXYZ(2 * i + 1, u, -height, 0);
      const e = strain(i) / most, w = Math.abs(e);
      const to = e < 0 ? [0.12, 0.37, 0.75] : [0.84, 0.2, 0.2];
      for (const k of [2 * i, 2 * i + 1])
        color.setXYZ(k, still[0] + w * (to[0] - still[0]), still[1] + w * (to[1] - still[1]), still[2] + w * (to[2] - still[2]));
    }
    position.needsUpdate = color.needsUpdate = true;
  }

  private addTrail(shape: Shape) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * 400), 3));
    const line = new Line(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.55, depthTest: !this.planar }));
    line.frustumCulled = false;
    line.renderOrder = 5;
    this.trails.push({ shape, line });
    this.group.add(line);
  }

  private drawTrails(frame: number, on: boolean) {
    for (const { shape, line } of this.trails) {
      line.visible = on;
      if (!on) continue;
      const position = line.geometry.getAttribute('position') as BufferAttribute;
      const points = position.count, back = Math.max(points, Math.floor(this.run.frames / 4));
      const every = Math.max(1, Math.round(back / points));
      let n = 0;
      for (let k = 0; k < points; ++k) {
        const i = frame - k * every;
        if (i < 0) break;
        const f = this.run.frame(i, false);
        if (!f) break;
        this.point(shape, f, 0, this.p);
        position.setXYZ(n++, this.p.x, this.p.y, this.p.z);
      }
      position.needsUpdate = true;
      line.geometry.setDrawRange(0, n);
    }
  }

  /** The numbers of a shape in a frame. */
  values(s: Shape, f: Frame): ArrayLike<number> {
    if (s.first === undefined) return s.values;
    const from = f.k * f.piece.drawn + s.first;
    return f.piece.shape.subarray(from, from + s.values.length);
  }

  /** Pose of a body in a frame; the ground's if it is none. */
  private pose(body: number, f: Frame, place: Vector3, turn: Quaternion) {
    if (body < 0) { place.set(0, 0, 0); turn.set(0, 0, 0, 1); return; }
    const o = 7 * (f.k * f.piece.bodies + body), x = f.piece.pose;
    place.set(x[o], x[o + 1], x[o + 2]);
    turn.set(x[o + 3], x[o + 4], x[o + 5], x[o + 6]);
  }

  /** A point of a shape, the one that begins at a number, in space. */
  point(s: Shape, f: Frame, from: number, out: Vector3, body = s.body ?? -1): Vector3 {
    if (s.flexible !== undefined) return this.flexible.place(s.flexible, s.node! + from / 3, f, this.deform, out);
    const x = this.values(s, f);
    out.set(x[from], x[from + 1], x[from + 2]);
    if (body < 0) return out;
    const o = 7 * (f.k * f.piece.bodies + body), p = f.piece.pose;
    this.r.set(p[o + 3], p[o + 4], p[o + 5], p[o + 6]);
    out.applyQuaternion(this.r);
    out.x += p[o]; out.y += p[o + 1]; out.z += p[o + 2];
    return out;
  }

  private segment(layer: Layer, a: Vector3, b: Vector3, width: number, color: Color, owner: number) {
    const dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z, length = Math.hypot(dx, dy, dz);
    if (!(length > 0)) return;
    this.stage.axes.along(dx / length, dy / length, dz / length, this.q);
    layer.put(a.x, a.y, a.z, this.q, length, width, width, color, owner);
  }

  draw(frame: number, options: FigureOptions): boolean {
    const f = this.run.frame(frame);
    if (!f) return false;
    const layers = Object.values(this.solids);
    for (const l of layers) l.begin();
    const px = this.stage.pixel();
    this.deform = options.deform;
    this.run.about.shapes.forEach((s, i) => this.drawShape(s, i, f, px, options));
    for (const l of layers) l.end();
    this.flexible.draw(f, options.deform);
    this.drawTrails(frame, options.trails);
    return true;
  }

  private drawShape(s: Shape, owner: number, f: Frame, px: number, options: FigureOptions) {
    const x = this.values(s, f), color = this.colors[owner], body = s.body ?? -1, { axes } = this.stage;
    switch (s.kind) {
      case 'box': return this.drawBox(x, body, f, px, color, owner);
      case 'circle': {
        this.point(s, f, 0, this.a);
        const radius = x[3];
        if (!this.planar) {
          this.pose(body, f, this.p, this.q);
          this.solids.ball.put(this.a.x, this.a.y, this.a.z, this.q, radius, radius, radius, color, owner);
          return;
        }
        this.pose(body, f, this.p, this.r);
        axes.angle(x[4], this.q).premultiply(this.r);
        this.solids.rim.put(this.a.x, this.a.y, this.a.z, this.q, radius + px, radius + px, 1, color, owner);
        const fill = this.b.set(color.r, color.g, color.b), back = cssBack();
        const light = scratch.setRGB(0.3 * fill.x + 0.7 * back.r, 0.3 * fill.y + 0.7 * back.g, 0.3 * fill.z + 0.7 * back.b);
        this.solids.ball.put(this.a.x, this.a.y, this.a.z, this.q, Math.max(radius - px, 0), Math.max(radius - px, 0), 1, light, owner);
        this.solids.rod.put(this.a.x, this.a.y, this.a.z, this.q, radius, 1.5 * px, 1, color, owner);
        return;
      }
      case 'line': {
        const width = Math.max(s.width ?? 0, (s.ground ? 2.5 : 2) * px);
        const n = s.values.length / 3;
        for (let k = 0; k < n; ++k) {
          this.point(s, f, 3 * k, this.a, k > 0 && s.other !== undefined ? s.other : body);
          const tone = (s.flexible !== undefined && !this.ghost && this.flexible.color(s.flexible, s.node! + k, f)) || color;
          if (k > 0) this.segment(this.solids.rod, this.b, this.a, width, tone, owner);
          if ((s.width ?? 0) > 0 && (n < 100 || k === 0 || k === n - 1)) {
            axes.angle(0, this.q);
            const layer = this.planar ? this.solids.rim : this.solids.ball;
            layer.put(this.a.x, this.a.y, this.a.z, this.q, width / 2, width / 2, this.planar ? 1 : width / 2, tone, owner);
          }
          this.b.copy(this.a);
        }
        return;
      }
      case 'point': case 'joint': {
        this.point(s, f, 0, this.a);
        axes.angle(0, this.q);
        const r = (s.kind === 'joint' ? 4.5 : 3.5) * px, z = this.planar ? 1 : r;
        const layer = this.planar ? this.solids.rod : this.solids.ball;
        if (this.planar) {
          this.solids.rim.put(this.a.x, this.a.y, this.a.z, this.q, r, r, z, s.ground ? this.ground : this.line, owner);
        } else layer.put(this.a.x, this.a.y, this.a.z, this.q, r, r, z, s.ground ? this.ground : this.line, owner);
        if (s.ground && this.planar) this.support(this.a, px, owner);
        return;
      }
      case 'spring': return this.drawSpring(s, f, px, color, owner);
      case 'bar': return this.drawBar(s, x, options.deform);
      default: return;
    }
  }

  /** The little triangle on which a pivot stands. */
  private support(at: Vector3, px: number, owner: number) {
    const { e1, e2 } = this.stage.axes, c = at.clone();
    const left = c.clone().addScaledVector(e1, -9 * px).addScaledVector(e2, -14 * px);
    const right = c.clone().addScaledVector(e1, 9 * px).addScaledVector(e2, -14 * px);
    for (const [a, b] of [[c, left], [c, right], [left, right]])
      this.segment(this.solids.edge, a, b, 1.5 * px, this.ground, owner);
  }

  private drawBox(x: ArrayLike<number>, body: number, f: Frame, px: number, color: Color, owner: number) {
    const { axes } = this.stage;
    this.pose(body, f, this.p, this.r);
    this.a.set(x[0], x[1], x[2]).applyQuaternion(this.r).add(this.p);
    let [w, h, d] = [x[3], x[4], x[5]];
    if (this.planar) {
      // edges along e1 and e2
      const sx = Math.abs(w * axes.e1.x + h * axes.e1.y + d * axes.e1.z);
      const sy = Math.abs(w * axes.e2.x + h * axes.e2.y + d * axes.e2.z);
      w = sx; h = sy; d = 1e-6 * this.stage.size;
      axes.angle(x[6], this.q).premultiply(this.r);
    } else this.q.copy(this.r);
    this.solids.box.put(this.a.x, this.a.y, this.a.z, this.q, w, h, d, color, owner);
    if (!this.edges) return;
    const corner = (i: number, out: Vector3) => out
      .set(((i & 1) - 0.5) * w, (((i >> 1) & 1) - 0.5) * h, (((i >> 2) & 1) - 0.5) * d)
      .applyQuaternion(this.turned).add(this.at);
    this.turned.copy(this.q);
    this.at.copy(this.a);
    const tone = this.planar ? color : scratch.copy(color).multiplyScalar(0.55);
    const pairs = this.planar ? [[0, 1], [1, 3], [3, 2], [2, 0]]
      : [[0, 1], [1, 3], [3, 2], [2, 0], [4, 5], [5, 7], [7, 6], [6, 4], [0, 4], [1, 5], [2, 6], [3, 7]];
    for (const [a, b] of pairs)
      this.segment(this.solids.edge, corner(a, this.c1), corner(b, this.c2), (this.planar ? 2 : 1.4) * px, tone, owner);
  }
  private readonly turned = new Quaternion();
  private readonly at = new Vector3();
  private readonly c1 = new Vector3();
  private readonly c2 = new Vector3();

  private drawSpring(s: Shape, f: Frame, px: number, color: Color, owner: number) {
    const from = this.point(s, f, 0, this.c1), to = this.point(s, f, 3, this.c2, s.other ?? s.body ?? -1);
    const axis = to.clone().sub(from), length = axis.length();
    if (!(length > 0)) return;
    const width = Math.max(s.values[6] || 0.12 * length, 8 * px);
    const side = this.planar
      ? new Vector3().crossVectors(this.stage.axes.n, axis).normalize()
      : new Vector3().crossVectors(Math.abs(axis.z) < 0.9 * length ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0), axis).normalize();
    const turns = 14;
    const before = from.clone(), next = new Vector3();
    for (let k = 0; k <= turns + 1; ++k) {
      const along = k === 0 ? 0.1 : k === turns + 1 ? 1 : 0.1 + (0.8 * (k - 0.5)) / turns;
      const out = k === 0 || k === turns + 1 ? 0 : (k % 2 === 0 ? 0.5 : -0.5) * width;
      if (k === turns + 1) next.copy(from).addScaledVector(axis, 0.9);
      else next.copy(from).addScaledVector(axis, along).addScaledVector(side, out);
      this.segment(this.solids.rod, before, next, 1.8 * px, color, owner);
      before.copy(next);
    }
    this.segment(this.solids.rod, before, to, 1.8 * px, color, owner);
  }

  /** What can be pointed at. */
  pickable() { return [this.solids.box, this.solids.ball, this.solids.rod]; }

  /** Middle of a shape in a frame. */
  middle(s: Shape, f: Frame): Vector3 { return this.point(s, f, 0, new Vector3()); }
}

const scratch = new Color();
let back = new Color(), backOf = '?';
function cssBack(): Color {
  const theme = document.documentElement.dataset.theme ?? '';
  if (theme !== backOf) { backOf = theme; back = cssColor('stage'); }
  return back;
}
