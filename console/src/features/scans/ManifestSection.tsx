import type { ScanManifestFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { hex } from '../../lib/digest.ts';
import { download } from '../../lib/download.ts';
import { Button } from '../../ui/Button.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import styles from './Scans.module.css';

const HASHES = ['manifestHash', 'manifestDigest', 'sbomHash', 'feedHash', 'policyHash', 'rulesHash'] as const;

/** Frozen inputs of a scan by their hashes, with the signed envelope to take along. */
export function ManifestSection({ manifest }: { readonly manifest: ScanManifestFragment }) {
  const { document, envelope, manifestDigest, createdAt } = manifest;
  const name = hex(manifestDigest).slice(0, 12);
  const files = [
    {
      id: 'manifest.envelope',
      title: t('manifest.envelope'),
      command: t('manifest.envelope.command'),
      run: () => download(`manifest-${name}.dsse.json`, 'application/json', envelope),
    },
    {
      id: 'manifest.document',
      title: t('manifest.document'),
      command: t('manifest.document.command'),
      run: () => download(`manifest-${name}.json`, 'application/json', document),
    },
  ];
  useCommands(files.map(({ id, command, run }) => ({ id, title: command, run })));
  return (
    <Section title={t('manifest.title')}>
      <p className="soft" style={{ paddingBlock: 8 }}>
        {t('manifest.lead')} <Time at={createdAt} />
      </p>
      <Facts look="page">
        {HASHES.map((hash) => (
          <Fact key={hash} label={t(`manifest.${hash}`)}>
            <Digest value={manifest[hash]} />
          </Fact>
        ))}
      </Facts>
      <div className={styles.files}>
        {files.map(({ id, title, run }) => (
          <Button key={id} size="small" onClick={run}>
            <Icon name="down" size={14} />
            {title}
          </Button>
        ))}
      </div>
    </Section>
  );
}
