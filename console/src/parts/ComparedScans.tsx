import type { ChangedComponentFragment } from '../generated/operations.ts';
import { scanLabel as t } from '../lib/scan-labels.ts';
import { mayReadScans } from '../lib/scan-permissions.ts';
import { exactText } from '../lib/score.ts';
import { scoreChange } from '../lib/score-change.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { Link } from '../ui/Link.tsx';
import { Section } from '../ui/Section.tsx';
import { useImageScan } from './ImageScans.tsx';
import { ScanScore } from './ScanState.tsx';

type Component = ChangedComponentFragment;

/** Newest scan of both images of each changed component, and what its score changed. Absent without the scope. */
export function ComparedScans({ components }: { readonly components: readonly Component[] }) {
  const scannable = components.filter(({ from, to }) => Boolean(from?.digest ?? to?.digest));
  if (!mayReadScans() || scannable.length === 0) return null;
  return (
    <Section title={t('scanned.compare')}>
      <DataTable
        label={t('scanned.compare')}
        rows={scannable}
        rowId={({ name }) => name}
        columns={[
          { name: t('scanned.component'), cell: ({ name }) => name },
          { name: t('scanned.before'), number: true, cell: ({ from }) => <Score digest={from?.digest ?? null} /> },
          { name: t('scanned.after'), number: true, cell: ({ to }) => <Score digest={to?.digest ?? null} /> },
          { name: t('scanned.change'), number: true, cell: (component) => <Change component={component} /> },
        ]}
        labelled
      />
    </Section>
  );
}

function Score({ digest }: { readonly digest: string | null }) {
  const scan = useImageScan(digest);
  if (digest === null) return <span className="quiet">{t('none')}</span>;
  if (scan === undefined) return null;
  if (scan === null) return <span className="quiet">{t('scanned.none')}</span>;
  return (
    <Link to="/scans/$id" params={{ id: scan.id }}>
      <ScanScore scan={scan} />
    </Link>
  );
}

function Change({ component: { from, to } }: { readonly component: Component }) {
  const [before, after] = [useImageScan(from?.digest ?? null), useImageScan(to?.digest ?? null)];
  const change = scoreChange(before?.score, after?.score);
  if (change === undefined) return <span className="quiet">{t('scanned.incomparable')}</span>;
  if (change === 0) return t('scanned.equal');
  return t(change > 0 ? 'scanned.rising' : 'scanned.falling', { n: exactText(Math.abs(change)) });
}
