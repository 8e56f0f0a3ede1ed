import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Prepends the cascade layer order to every style sheet, since the first sheet that loads decides it. */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform: (code, id) => (/\.css$/.test(id) ? `@layer reset, kit, screen;\n${code}` : undefined),
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [layerOrder, react()],
  build: {
    outDir: 'dist',
    manifest: true,
    // The oldest engines that know light-dark() and CSS nesting, so that neither is lowered.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Inlined assets would need `data:` in the content security policy.
    assetsInlineLimit: 0,
  },
});
