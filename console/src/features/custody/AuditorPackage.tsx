import type { CustodyChainQuery } from '../../generated/operations.ts';
import { FileButton } from '../../parts/FileButton.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Section } from '../../ui/Section.tsx';
import styles from './Custody.module.css';
import { t } from './labels.ts';

type Release = NonNullable<CustodyChainQuery['release']>;

/**
 * Whole chain for an auditor who trusts neither the platform nor the network: statements, keys, proofs and commands.
 */
export function AuditorPackage({ release: { id, name, semver } }: { readonly release: Release }) {
  // The file name that the server sends.
  const base = `custody-${name}-${semver}`.replaceAll(/[^A-Za-z0-9._+-]/g, '_').slice(0, 120);
  const recipe = [`tar xf ${base}.tar`, `cd ${base}`, 'sh verify.sh ../trust.json'].join('\n');
  return (
    <Section
      title={t('auditor.title')}
      side={<CopyButton icon weight="plain" text={recipe} label={t('recipe.copy')} copied={t('recipe.copied')} />}
    >
      <p className={`soft ${styles.papers}`}>{t('auditor.lead')}</p>
      <CodeBlock label={t('auditor.recipe')} text={recipe} wrap />
      <p className={styles.papers}>
        <FileButton
          size="normal"
          keys="d"
          path={`/api/v1/release-orchestrator/releases/${id}/custody-package`}
          name={`${base}.tar`}
        >
          {t('auditor.download')}
        </FileButton>
      </p>
    </Section>
  );
}
