// Many copies of one geometry in one call: everything that moves is drawn so, and 10,000 bodies cost one loop.
import {
  BufferGeometry, Color, DynamicDrawUsage, InstancedMesh, Material, Object3D, Quaternion, Vector3,
} from 'three';

export class Layer {
  mesh: InstancedMesh;
  private capacity = 16;
  private used = 0;
  private matrices: Float32Array;
  private colors: Float32Array;
  owners: number[] = []; // of each copy: which part it belongs to

  constructor(
    private readonly parent: Object3D,
    private readonly geometry: BufferGeometry,
    private readonly material: Material,
    private readonly order: number,
    private readonly shadow = false,
  ) {
    this.mesh = this.make();
    this.matrices = this.mesh.instanceMatrix.array as Float32Array;
    this.colors = this.mesh.instanceColor!.array as Float32Array;
  }

  private make(): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, this.capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.setColorAt(0, new Color());
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.castShadow = this.shadow;
    mesh.count = 0;
    this.parent.add(mesh);
    return mesh;
  }

  private grow() {
    const matrices = this.matrices, colors = this.colors;
    this.parent.remove(this.mesh);
    this.mesh.dispose();
    this.capacity *= 4;
    this.mesh = this.make();
    this.matrices = this.mesh.instanceMatrix.array as Float32Array;
    this.colors = this.mesh.instanceColor!.array as Float32Array;
    this.matrices.set(matrices);
    this.colors.set(colors);
  }

  begin() { this.used = 0; }

  put(x: number, y: number, z: number, q: Quaternion, sx: number, sy: number, sz: number, color: Color, owner = -1) {
    if (this.used === this.capacity) this.grow();
    const o = 16 * this.used, m = this.matrices;
    const x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const xx = q.x * x2, xy = q.x * y2, xz = q.x * z2, yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
    const wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    m[o] = (1 - (yy + zz)) * sx; m[o + 1] = (xy + wz) * sx; m[o + 2] = (xz - wy) * sx; m[o + 3] = 0;
    m[o + 4] = (xy - wz) * sy; m[o + 5] = (1 - (xx + zz)) * sy; m[o + 6] = (yz + wx) * sy; m[o + 7] = 0;
    m[o + 8] = (xz + wy) * sz; m[o + 9] = (yz - wx) * sz; m[o + 10] = (1 - (xx + yy)) * sz; m[o + 11] = 0;
    m[o + 12] = x; m[o + 13] = y; m[o + 14] = z; m[o + 15] = 1;
    const c = 3 * this.used;
    this.colors[c] = color.r; this.colors[c + 1] = color.g; this.colors[c + 2] = color.b;
    this.owners[this.used++] = owner;
  }

  end() {
    this.mesh.count = this.used;
    this.mesh.visible = this.used > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  get count() { return this.used; }
}

/** The plane of the picture as a rotation: x to e1, y to e2. */
export class Axes {
  readonly n: Vector3;
  readonly turn = new Quaternion();
  private readonly scratch = new Quaternion();
  private readonly z = new Vector3(0, 0, 1);
  private readonly x = new Vector3(1, 0, 0);
  private readonly d = new Vector3();
  constructor(readonly e1: Vector3, readonly e2: Vector3, readonly planar: boolean) {
    this.n = new Vector3().crossVectors(e1, e2);
    const m = [e1, e2, this.n];
    // columns of the rotation, by Shepperd's method for a proper rotation with entries 0, 1, -1
    const t = m[0].x + m[1].y + m[2].z;
    if (t > -0.99) {
      this.turn.set(m[1].z - m[2].y, m[2].x - m[0].z, m[0].y - m[1].x, 1 + t).normalize();
    } else {
      const k = m[0].x > m[1].y && m[0].x > m[2].z ? 0 : m[1].y > m[2].z ? 1 : 2;
      this.turn.set(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0, 0);
    }
  }
  /** Turned by an angle in the picture. */
  angle(a: number, out: Quaternion): Quaternion {
    return out.copy(this.turn).multiply(this.scratch.setFromAxisAngle(this.z, a));
  }
  /** The rotation that puts x along a direction. */
  along(dx: number, dy: number, dz: number, out: Quaternion): Quaternion {
    this.d.set(dx, dy, dz);
    if (this.planar) return this.angle(Math.atan2(this.d.dot(this.e2), this.d.dot(this.e1)), out);
    return out.setFromUnitVectors(this.x, this.d.normalize());
  }
}
