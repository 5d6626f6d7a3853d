// One page with everything inside: no file beside it, no address in it.
import { defineConfig } from 'vite';

const inline = {
  name: 'inline',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = bundle['index.html'];
    const files = Object.values(bundle);
    const script = files.filter((f) => f.type === 'chunk').map((f) => f.code).join('\n');
    const style = files.filter((f) => f.fileName.endsWith('.css')).map((f) => f.source).join('\n');
    page.source = String(page.source)
      .replace(/<script type="module"[^>]*><\/script>\s*/, '')
      .replace(/<link rel="stylesheet"[^>]*>\s*/, () => `<style>${style}</style>\n`)
      .replace('</body>', () => `<script type="module">${script.replaceAll('</script', '<\\/script')}</script>\n</body>`);
    for (const f of files) if (f.fileName !== 'index.html') delete bundle[f.fileName];
  },
};

export default defineConfig({
  plugins: [inline],
  build: {
    target: 'es2020',
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});
