// The window into the scene: renderer, camera and how it is moved, light.
import {
  AmbientLight, Camera, DirectionalLight, HemisphereLight, MOUSE, OrthographicCamera, PCFSoftShadowMap, PerspectiveCamera,
  Scene, TOUCH, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Description } from './data';
import { Axes } from './layer';
import { cssColor } from './look';

const NO_WEBGL = 'The drawing needs WebGL, which this browser does not offer here. Turn its hardware acceleration on, '
  + 'or open the page in another browser.';

function renderer(canvas: HTMLCanvasElement): WebGLRenderer {
  try {
    return new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true, powerPreference: 'low-power' });
  } catch {
    throw new Error(NO_WEBGL);
  }
}

export class Stage {
  readonly scene = new Scene();
  readonly axes: Axes;
  readonly renderer: WebGLRenderer;
  readonly camera: PerspectiveCamera | OrthographicCamera;
  readonly controls: OrbitControls;
  center = new Vector3();
  size = 1; // of what is seen
  private reach = new Vector3();
  private touched = false; // the user has moved the camera
  private readonly sun = new DirectionalLight(0xffffff, 2.2);

  constructor(canvas: HTMLCanvasElement, about: Description[], moved: () => void) {
    const first = about[0];
    this.axes = new Axes(new Vector3(...first.e1), new Vector3(...first.e2), first.planar);
    this.measure(about);
    this.renderer = renderer(canvas);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    const planar = first.planar;
    this.camera = planar
      ? new OrthographicCamera(-1, 1, 1, -1, -100 * this.size, 100 * this.size)
      : new PerspectiveCamera(35, 1, this.size / 500, this.size * 100);
    this.controls = new OrbitControls(this.camera as Camera, canvas);
    this.controls.addEventListener('change', moved);
    this.controls.addEventListener('start', () => { this.touched = true; });
    this.controls.zoomToCursor = true;
    if (planar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    this.light(planar, Math.max(...about.map((a) => a.bodies.length)) <= 400);
    this.reset();
  }

  private measure(about: Description[]) {
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
    for (const a of about) {
      if (a.low.length < 3) continue;
      low.min(new Vector3(...a.low));
      high.max(new Vector3(...a.high));
    }
    if (!(high.x >= low.x)) { low.set(-1, -1, -1); high.set(1, 1, 1); }
    this.center = low.clone().add(high).multiplyScalar(0.5);
    this.reach = high.clone().sub(low).multiplyScalar(0.5);
    this.size = Math.max(this.reach.length(), 1e-9);
  }

  /** How far what is shown reaches behind a plane. */
  behind(foot: Vector3, n: Vector3): number {
    const r = this.reach;
    return Math.abs(n.x) * r.x + Math.abs(n.y) * r.y + Math.abs(n.z) * r.z - n.dot(this.center.clone().sub(foot));
  }

  /** What is shown has become larger: all of it is seen again, unless the user looks at something. */
  widen(about: Description[]) {
    this.measure(about);
    if (!this.touched) this.reset();
  }

  private light(planar: boolean, shadows: boolean) {
    if (planar) {
      this.scene.add(new AmbientLight(0xffffff, 3));
      return;
    }
    this.scene.add(new HemisphereLight(0xffffff, 0x8899aa, 1.6));
    this.sun.position.copy(this.center).add(new Vector3(0.6, -0.9, 1.8).multiplyScalar(2 * this.size));
    this.sun.target.position.copy(this.center);
    this.scene.add(this.sun, this.sun.target);
    if (!shadows) return;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const s = 1.3 * this.size, c = this.sun.shadow.camera;
    c.left = c.bottom = -s; c.right = c.top = s; c.near = 0.1 * this.size; c.far = 8 * this.size;
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.01 * this.size;
  }

  reset() {
    this.touched = false;
    this.controls.target.copy(this.center);
    if (this.camera instanceof OrthographicCamera) {
      this.camera.up.copy(this.axes.e2);
      this.camera.position.copy(this.center).addScaledVector(this.axes.n, 10 * this.size);
      this.camera.zoom = 1;
    } else {
      this.camera.up.set(0, 0, 1);
      this.resize();
      const from = new Vector3(0.55, -1, 0.45).normalize();
      this.camera.position.copy(this.center).addScaledVector(from, this.distance(this.camera, from));
    }
    this.resize();
    this.controls.update();
  }

  /** From where all corners are seen. */
  private distance(camera: PerspectiveCamera, from: Vector3): number {
    const right = new Vector3(0, 0, 1).cross(from).normalize(), up = new Vector3().crossVectors(from, right);
    const slope = Math.tan((camera.fov * Math.PI) / 360);
    let out = 0.1 * this.size;
    for (let i = 0; i < 8; ++i) {
      const c = this.reach.clone().multiply(new Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
      const aside = Math.abs(c.dot(right)) / (0.92 * slope * camera.aspect), above = Math.abs(c.dot(up)) / (0.8 * slope);
      out = Math.max(out, c.dot(from) + Math.max(aside, above));
    }
    return out;
  }

  resize() {
    const canvas = this.renderer.domElement, box = canvas.parentElement!;
    const w = Math.max(box.clientWidth, 1), h = Math.max(box.clientHeight, 1);
    this.renderer.setSize(w, h, false);
    if (this.camera instanceof OrthographicCamera) {
      const a = Math.abs(this.reach.dot(this.axes.e1)), b = Math.abs(this.reach.dot(this.axes.e2));
      // room for the buttons below and the clock above
      const margin = 1.1, below = Math.min(54 / h, 0.2), above = Math.min(40 / h, 0.15);
      const half = Math.max((b * margin) / (1 - below - above), (a * margin * h) / w, 0.05 * this.size);
      const shift = half * (below - above);
      this.camera.top = half - shift; this.camera.bottom = -half - shift;
      this.camera.right = (half * w) / h; this.camera.left = -this.camera.right;
    } else {
      this.camera.aspect = w / h;
    }
    this.camera.updateProjectionMatrix();
  }

  /** Length in the scene of a pixel where the picture is looked at. */
  pixel(): number {
    const h = Math.max(this.renderer.domElement.clientHeight, 1);
    if (this.camera instanceof OrthographicCamera) return (this.camera.top - this.camera.bottom) / this.camera.zoom / h;
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / h;
  }

  render() {
    this.scene.background = cssColor('stage');
    this.renderer.render(this.scene, this.camera);
  }

  /** Where a point is seen, in pixels. */
  project(p: Vector3): { x: number; y: number } {
    const v = p.clone().project(this.camera), c = this.renderer.domElement;
    return { x: ((v.x + 1) / 2) * c.clientWidth, y: ((1 - v.y) / 2) * c.clientHeight };
  }

  view(): number[] {
    const c = this.camera, t = this.controls.target;
    const zoom = c instanceof OrthographicCamera ? c.zoom : 1;
    return [...c.position.toArray(), ...t.toArray(), zoom].map((x) => Number(x.toPrecision(5)));
  }
  setView(v: number[]) {
    if (v.length !== 7 || v.some((x) => !Number.isFinite(x))) return;
    this.camera.position.set(v[0], v[1], v[2]);
    this.controls.target.set(v[3], v[4], v[5]);
    if (this.camera instanceof OrthographicCamera) this.camera.zoom = v[6];
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }
}
