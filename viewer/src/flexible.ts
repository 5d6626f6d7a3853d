// Flexible bodies of a frame: surfaces of solids with their stress as colour, and where the nodes of all of them are,
// with deformations magnified about the rigid part of the motion, which stays as it is.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Mesh, MeshLambertMaterial, Quaternion, Vector3 } from 'three';
import { dark } from './look';
import type { Frame, Run } from './run';

const UNKNOWN = -1; // stress of a node of which none was computed

export class Flexible {
  private readonly first: number[] = []; // node of each body, among all
  private readonly meshes: (Mesh | null)[];
  private readonly p = new Vector3();
  private readonly q = new Quaternion();
  private readonly c = new Color();

  constructor(private readonly run: Run, group: Group, ghost: boolean) {
    let count = 0;
    this.meshes = run.about.flexible.map((body) => {
      this.first.push(count);
      const nodes = body.reference.length / 3;
      count += nodes;
      if (body.triangles.length === 0) return null;
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * nodes), 3));
      geometry.setAttribute('color', new BufferAttribute(new Float32Array(3 * nodes), 3));
      geometry.setIndex(body.triangles);
      const mesh = new Mesh(geometry, new MeshLambertMaterial({
        vertexColors: true, flatShading: true, side: DoubleSide, transparent: ghost, opacity: ghost ? 0.28 : 1,
      }));
      mesh.frustumCulled = false;
      mesh.castShadow = !ghost;
      group.add(mesh);
      return mesh;
    });
  }

  /** Where a node of a body is drawn. */
  place(body: number, node: number, f: Frame, deform: number, out: Vector3): Vector3 {
    const o = 7 * (f.k * f.piece.flexible + body), r = f.piece.rigid, X = this.run.about.flexible[body].reference;
    const d = 4 * (f.k * f.piece.nodeCount + this.first[body] + node), u = f.piece.nodes;
    out.set(X[3 * node], X[3 * node + 1], X[3 * node + 2]).applyQuaternion(this.q.set(r[o + 3], r[o + 4], r[o + 5], r[o + 6]));
    return out.set(out.x + r[o] + deform * u[d], out.y + r[o + 1] + deform * u[d + 1], out.z + r[o + 2] + deform * u[d + 2]);
  }

  /** Colour of the stress at a node: grey without, through yellow to red at the largest of the run; null if not known. */
  color(body: number, node: number, f: Frame): Color | null {
    const stress = f.piece.nodes[4 * (f.k * f.piece.nodeCount + this.first[body] + node) + 3];
    if (stress === UNKNOWN) return null;
    const s = Math.min(1, stress / Math.max(this.run.about.largest_stress, 1e-300)), low = s < 0.5;
    const still = dark() ? [0.55, 0.6, 0.68] : [0.74, 0.78, 0.84], half = [0.96, 0.77, 0.2], full = [0.8, 0.13, 0.15];
    const w = low ? 2 * s : 2 * s - 1, a = low ? still : half, b = low ? half : full;
    return this.c.setRGB(a[0] + w * (b[0] - a[0]), a[1] + w * (b[1] - a[1]), a[2] + w * (b[2] - a[2]));
  }

  draw(f: Frame, deform: number) {
    this.meshes.forEach((mesh, body) => {
      if (!mesh) return;
      const position = mesh.geometry.getAttribute('position') as BufferAttribute;
      const color = mesh.geometry.getAttribute('color') as BufferAttribute;
      for (let i = 0; i < position.count; ++i) {
        this.place(body, i, f, deform, this.p);
        position.setXYZ(i, this.p.x, this.p.y, this.p.z);
        const c = this.color(body, i, f)!;
        color.setXYZ(i, c.r, c.g, c.b);
      }
      position.needsUpdate = color.needsUpdate = true;
    });
  }

  /** The solid that a mesh belongs to. */
  name(mesh: unknown): string | null {
    const body = this.meshes.indexOf(mesh as Mesh);
    return body < 0 ? null : this.run.about.flexible[body].name;
  }
  pickable(): Mesh[] { return this.meshes.filter((m): m is Mesh => m !== null); }
}
