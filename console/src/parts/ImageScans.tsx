import type { ReactNode } from 'react';
import { type ImageScanFragment, ImageScansDocument } from '../generated/operations.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { scanLabel as t } from '../lib/scan-labels.ts';
import { mayReadScans } from '../lib/scan-permissions.ts';
import { Link } from '../ui/Link.tsx';
import { EmptyState } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './ImageScans.module.css';
import { ScanScore, ScanStatusLabel } from './ScanState.tsx';

/** Newest scan of an image; undefined until it is known, null where there is none. */
export function useImageScan(digest: string | null): ImageScanFragment | null | undefined {
  const { data } = useLiveQuery(ImageScansDocument, digest === null ? undefined : { digest }, ['Scan']);
  return data === undefined ? undefined : (data.scans.edges[0]?.node ?? null);
}

type Image = { readonly digest: string | null };

type Component = Image & {
  readonly name: string;
  /** Images of an index, which may be scanned in its place. */
  readonly platforms: readonly { readonly platform: string; readonly digest: string }[];
};

/** Newest scan of each component's image, and of each platform's where an index has several. Absent without the scope. */
export function ImageScans({ components }: { readonly components: readonly Component[] }) {
  if (!mayReadScans()) return null;
  return (
    <Section title={t('scanned.title')} side={<Link to="/scans">{t('scanned.list')}</Link>}>
      {components.length === 0 && <EmptyState>{t('scanned.noComponent')}</EmptyState>}
      <ul className={styles.scans}>
        {components.map(({ name, digest, platforms }) => (
          <ImageScan key={name} name={name} digest={digest}>
            {platforms.map((one) => (
              <PlatformScan key={one.digest} platform={one.platform} digest={one.digest} />
            ))}
          </ImageScan>
        ))}
      </ul>
    </Section>
  );
}

type ImageScanProps = Image & { readonly name: string; readonly children?: ReactNode };

function ImageScan({ name, digest, children }: ImageScanProps) {
  const scan = useImageScan(digest);
  return (
    <li>
      <b>
        <ScanLink scan={scan}>{name}</ScanLink>
      </b>
      {digest === null && <span className="quiet">{t('scanned.unpinned')}</span>}
      {scan === null && <span className="quiet">{t('scanned.none')}</span>}
      {scan && <ScanSummary scan={scan} />}
      {children}
    </li>
  );
}

/** Scan of one platform of an image index; nothing where it has none. */
function PlatformScan({ platform, digest }: { readonly platform: string; readonly digest: string }) {
  const scan = useImageScan(digest);
  if (!scan) return null;
  return (
    <div className={styles.platform}>
      <ScanLink scan={scan}>{platform}</ScanLink>
      <ScanSummary scan={scan} />
    </div>
  );
}

type ScanLinkProps = { readonly scan: ImageScanFragment | null | undefined; readonly children: string };

/** Name of an image, which leads to its scan where it has one. */
const ScanLink = ({ scan, children }: ScanLinkProps) =>
  scan ? (
    <Link to="/scans/$id" params={{ id: scan.id }}>
      {children}
    </Link>
  ) : (
    children
  );

/** State, score and findings of a scan. */
function ScanSummary({ scan }: { readonly scan: ImageScanFragment }) {
  const { status, score, findingCount, coverage, createdAt } = scan;
  return (
    <>
      <ScanStatusLabel status={status} />
      {status === 'COMPLETED' && (
        <span>
          <span className="quiet">{t('scan.score')}</span> <ScanScore scan={scan} />
        </span>
      )}
      {findingCount !== null && score !== null && <span>{t('scan.findings', { n: findingCount })}</span>}
      {coverage !== null && (
        <span className="soft">{t('scanned.coverage', { n: coverage.evaluated, of: coverage.components })}</span>
      )}
      <span className="small quiet">
        <Time at={createdAt} />
      </span>
    </>
  );
}
