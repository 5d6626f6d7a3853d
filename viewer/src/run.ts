// One run: what is known of it, and its frames, of which no more are held than fit into a fixed room.
import type { Description, Overview, Piece, Source } from './data';

const ROOM = 96 << 20; // bytes of pieces

export interface Frame { piece: Piece; k: number }

export class Run {
  private readonly pieces = new Map<number, Piece>(); // the least recently used first
  private readonly waiting = new Map<number, Promise<Piece>>();
  private held = 0;
  times: Float64Array;

  constructor(
    public about: Description,
    public overview: Overview,
    private readonly source: Source,
    private readonly index: number,
    private readonly loaded: () => void,
    private readonly failed: (why: unknown) => void,
  ) {
    this.times = overview.times;
  }

  get frames() { return this.times.length; }

  /** The last frame that is not after t. */
  at(t: number): number {
    let low = 0, high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** A frame if it is here; else it is fetched, and `loaded` is called. */
  frame(i: number, fetch = true): Frame | null {
    const size = this.about.frames_in_piece;
    const index = Math.floor(i / size);
    const piece = this.pieces.get(index);
    if (!piece) {
      if (fetch) this.fetch(index).catch(this.failed);
      return null;
    }
    if (fetch) {
      this.pieces.delete(index);
      this.pieces.set(index, piece);
    }
    const k = i - piece.first;
    return k < piece.frames ? { piece, k } : null;
  }

  /** The piece after the one that holds frame i, before it is needed. */
  ahead(i: number) {
    const index = Math.floor(i / this.about.frames_in_piece) + 1;
    if (index * this.about.frames_in_piece < this.frames && !this.pieces.has(index) && this.waiting.size < 2)
      this.fetch(index).catch(this.failed);
  }

  fetch(index: number): Promise<Piece> {
    const here = this.pieces.get(index);
    if (here) return Promise.resolve(here);
    let promise = this.waiting.get(index);
    if (!promise) {
      promise = this.source.piece(this.index, index).then((piece) => {
        this.keep(index, piece);
        return piece;
      }).finally(() => this.waiting.delete(index));
      this.waiting.set(index, promise);
    }
    return promise;
  }

  keep(index: number, piece: Piece) {
    this.held += piece.bytes - (this.pieces.get(index)?.bytes ?? 0);
    this.pieces.delete(index);
    this.pieces.set(index, piece);
    for (const [old, oldest] of this.pieces) {
      if (this.held <= ROOM || this.pieces.size <= 2) break;
      this.pieces.delete(old);
      this.held -= oldest.bytes;
    }
    this.loaded();
  }

  /** A run that goes on has got further; `anew`: its frames are others than before. */
  update(about: Description, overview: Overview, anew: boolean) {
    const last = Math.floor((this.frames - 1) / this.about.frames_in_piece);
    this.about = about;
    this.overview = overview;
    this.times = overview.times;
    for (const [index, piece] of this.pieces)
      if (anew || index >= last) {
        this.pieces.delete(index);
        this.held -= piece.bytes;
      }
  }

  get bytes() { return this.held; }
}
