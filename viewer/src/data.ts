// What the program hands over: a description (JSON), an overview of the curves, and pieces of frames (docs/viewer.md).
// It comes from the page itself, or from the server that showed the page.

export type Kind =
  | 'point' | 'line' | 'circle' | 'box' | 'spring' | 'contact' | 'plane' | 'play' | 'bar' | 'joint';

export interface Shape {
  kind: Kind;
  name: string;
  values: number[];
  body?: number;
  other?: number;
  ground?: boolean;
  trace?: boolean;
  width?: number;
  first?: number;
  flexible?: number; // a line through nodes of this body
  node?: number; // from this one on
}

/** A flexible body: its nodes where nothing is strained; corners of the triangles of a solid's surface among them. */
export interface Flexible { name: string; reference: number[]; triangles: number[] }
export interface Curve { name: string; group: string; unit: string }
/** `rubbing`: friction in a joint, or a motor, which has no gap; `turns`: its rows are angles. */
export interface Item { name: string; joint: boolean; rubbing: boolean; turns: boolean; dim: number; mu: number }

export interface Description {
  file: string;
  name: string;
  description: string;
  scheme: string;
  step: number;
  status: string;
  live: boolean;
  until: number;
  rows: number;
  frames: number;
  stride: number;
  frames_in_piece: number;
  t: number[];
  low: number[];
  high: number[];
  largest_impulse: number;
  largest_reaction: number;
  largest_stress: number;
  planar: boolean;
  e1: number[];
  e2: number[];
  bodies: string[];
  notes: string[];
  text: string;
  items: Item[];
  shapes: Shape[];
  flexible: Flexible[];
  drawn: number;
  curves: Curve[];
  events: { t: number[]; kind: number[]; item: number[]; names: string[] };
}

export interface Overview {
  t: Float64Array; // of the curves
  values: Float64Array[]; // one a curve
  times: Float64Array; // of the frames
}

export interface Piece {
  frames: number;
  first: number;
  bodies: number;
  drawn: number;
  curves: number;
  t: Float64Array;
  numbers: Float64Array;
  gap: Float64Array;
  U: Float64Array;
  P: Float64Array;
  pose: Float32Array;
  shape: Float32Array;
  point: Float32Array;
  normal: Float32Array;
  force: Float32Array;
  offset: Uint32Array;
  item: Int32Array;
  pair: Int32Array;
  state: Int32Array;
  flexible: number;
  rigid: Float32Array; // rigid part of each flexible body, as poses are
  nodeCount: number;
  nodes: Float32Array; // deformation x y z and von Mises's stress of each node of them
  bytes: number;
}

export const STATES = ['open', 'closed', 'sticking', 'sliding', 'joint'];
export const JOINT = 4;

export interface News { ended?: boolean; frames: number; generation: number; stride: number }

export interface Source {
  /** Calls back whenever a run that goes on has got further. */
  listen(heard: (news: News) => void): void;
  describe(): Promise<Description[]>;
  overview(result: number): Promise<Overview>;
  piece(result: number, index: number): Promise<Piece>;
}

/** Reads parts one after the other, each on a multiple of eight bytes. */
class Parts {
  private at = 0;
  constructor(private readonly buffer: ArrayBuffer) {}
  private next(count: number, bytes: number): number {
    const from = this.at;
    if (from + count * bytes > this.buffer.byteLength) throw new Error('the data are shorter than they say');
    this.at = Math.ceil((from + count * bytes) / 8) * 8;
    return from;
  }
  f64(n: number) { return new Float64Array(this.buffer, this.next(n, 8), n); }
  f32(n: number) { return new Float32Array(this.buffer, this.next(n, 4), n); }
  u32(n: number) { return new Uint32Array(this.buffer, this.next(n, 4), n); }
  i32(n: number) { return new Int32Array(this.buffer, this.next(n, 4), n); }
}

export function readPiece(buffer: ArrayBuffer): Piece {
  const parts = new Parts(buffer);
  const [magic, n, first, b, d, s, m, r, g] = parts.u32(10);
  if (magic !== 0x33435652) throw new Error('these are no frames of ricochet');
  const t = parts.f64(n), numbers = parts.f64(n * s), gap = parts.f64(m), U = parts.f64(3 * m), P = parts.f64(3 * m);
  const pose = parts.f32(n * b * 7), shape = parts.f32(n * d);
  const point = parts.f32(3 * m), normal = parts.f32(3 * m), force = parts.f32(3 * m);
  const offset = parts.u32(n + 1), item = parts.i32(m), pair = parts.i32(2 * m), state = parts.i32(m);
  const rigid = parts.f32(7 * n * r), nodes = parts.f32(4 * n * g);
  if (offset[n] !== m) throw new Error('the lists of contacts do not fit their offsets');
  return {
    frames: n, first, bodies: b, drawn: d, curves: s, t, numbers, gap, U, P, pose, shape, point, normal, force, offset,
    item, pair, state, flexible: r, rigid, nodeCount: g, nodes, bytes: buffer.byteLength,
  };
}

export function readOverview(buffer: ArrayBuffer): Overview {
  const parts = new Parts(buffer);
  const [magic, n, s, f] = parts.u32(4);
  if (magic !== 0x314f5652) throw new Error('this is no overview of ricochet');
  const t = parts.f64(n);
  const values = Array.from({ length: s }, () => parts.f64(n));
  return { t, values, times: parts.f64(f) };
}

/** Bytes that stand in planes, deflated, in base 64. */
async function unpack(text: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const words = Math.floor(planes.length / 8);
  const out = planes.slice();
  for (let k = 0; k < 8; ++k) for (let i = 0; i < words; ++i) out[8 * i + k] = planes[k * words + i];
  return out.buffer;
}

class InsidePage implements Source {
  listen() { /* nothing happens to a page */ }
  constructor(private readonly description: string) {}
  describe = async () => JSON.parse(this.description).results as Description[];
  private element(id: string): string {
    const found = document.getElementById(id)?.textContent;
    if (!found) throw new Error(`the page lacks its part ${id}`);
    return found;
  }
  overview = async (r: number) => readOverview(await unpack(this.element(`ricochet-overview-${r}`)));
  piece = async (r: number, k: number) => readPiece(await unpack(this.element(`ricochet-piece-${r}-${k}`)));
}

class FromServer implements Source {
  listen(heard: (news: News) => void) {
    const events = new EventSource('live');
    events.onmessage = (e) => {
      const news = JSON.parse(e.data) as News;
      if (news.ended) events.close();
      heard(news);
    };
  }
  private async get(path: string): Promise<Response> {
    const answer = await fetch(path, { cache: 'no-store' });
    if (!answer.ok) throw new Error((await answer.text()) || `${path}: ${answer.status}`);
    return answer;
  }
  describe = async () => (await (await this.get('description')).json()).results as Description[];
  overview = async (r: number) => readOverview(await (await this.get(`overview/${r}`)).arrayBuffer());
  piece = async (r: number, k: number) => readPiece(await (await this.get(`piece/${r}/${k}`)).arrayBuffer());
}

export function source(): Source {
  const inside = document.getElementById('ricochet-description')?.textContent;
  return inside ? new InsidePage(inside) : new FromServer();
}
