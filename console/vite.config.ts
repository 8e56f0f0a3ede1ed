import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Prepends the cascade layer order to every style sheet, since the first sheet that loads decides it. */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform: (code, id) => (/\.css$/.test(id) ? `@layer reset, kit, screen;\n${code}` : undefined),
};

/** Modules that every page needs, in one chunk: thirty small ones cost a request each, and their names in the entry. */
const FIRST_PAGE =
  /console\/src\/(parts\/TimeNotice|lib\/(canary-steps|change-listeners|commands|cursor|custody-links|enums|search-filters|target-counts|time|url-state)|ui\/(Banner|Button|CodeBlock|Dialog|DialogFoot|EntityLink|EntityStates|Gauges|Icon|KeyCaps|Link|PageHead|QueryResult|Section|StateLabel|Time|optional-value))\.(ts|tsx|module\.css)$/;

/** Modules that every page with a form needs. */
const FORMS =
  /console\/src\/(lib\/form-fields|parts\/(dialogs|RowAction)|ui\/(Form|FormFooter))\.(ts|tsx|module\.css)$/;

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
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'page', test: FIRST_PAGE },
            { name: 'form', test: FORMS, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
