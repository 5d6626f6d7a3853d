// Colours: those of the page's style sheet for the drawing, and one for each part, the same everywhere.
import { Color } from 'three';

const LIGHT = ['#3f6fb5', '#c8683a', '#4b8f6b', '#a0527f', '#8a7a35', '#5a6fae', '#b0555a', '#3d8a96'];
const DARK = ['#7fa9e8', '#f0a070', '#7cc9a0', '#d98bbb', '#cbbb6b', '#9fb0ee', '#ea9197', '#79c4d0'];
export const CURVES = ['#1f5fbf', '#d9730d', '#1a8f5a', '#a0327f', '#7a6a10', '#0f8aa0', '#c23b3b', '#6a4fbf'];
export const CURVES_DARK = ['#79aef5', '#ff9f45', '#4cc38a', '#e58bc4', '#d3c35a', '#5cc8dc', '#ff8a8a', '#b493f0'];

export function dark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}
export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
export function cssColor(name: string): Color {
  return new Color(css(name) || '#888888');
}
export function partColor(index: number): Color {
  const palette = dark() ? DARK : LIGHT;
  return new Color(palette[index % palette.length]);
}
export function curveColor(index: number): string {
  const palette = dark() ? CURVES_DARK : CURVES;
  return palette[index % palette.length];
}
export function number(x: number): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e5) return String(Number(x.toPrecision(6)));
  return x.toExponential(4);
}
