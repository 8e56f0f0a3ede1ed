import styles from './CodeBlock.module.css';

type CodeBlockProps = { readonly label: string; readonly text: string; readonly wrap?: boolean };

/** Unchanged text in a box that scrolls, or with `wrap` on as many lines as it needs. */
export function CodeBlock({ label, text, wrap = false }: CodeBlockProps) {
  return (
    <section aria-label={label} className={styles.box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */}
      <pre tabIndex={0} className={wrap ? styles.wrap : undefined}>
        {text}
      </pre>
    </section>
  );
}
/** Code that is folded under its label. */
export const CollapsedCode = ({ open = false, ...code }: CodeBlockProps & { readonly open?: boolean }) => (
  <details open={open}>
    <summary>{code.label}</summary>
    <CodeBlock {...code} />
  </details>
);
