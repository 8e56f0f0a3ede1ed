import { useApolloClient } from '@apollo/client/react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  BaseScansDocument,
  type BaseScansQuery,
  CompareScansDocument,
  LatestDriftDocument,
} from '../../generated/operations.ts';
import { useLiveQuery, useQueryOnce } from '../../lib/graph-hooks.ts';
import { type Problem, problemOf } from '../../lib/problem.ts';
import { scanName } from '../../lib/scan-name.ts';
import { settings } from '../../lib/settings.ts';
import { instant } from '../../lib/time.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import type { Scan } from './ScanPage.tsx';
import styles from './Scans.module.css';

/** Newest drift of a scan by language, and the comparison with another scan of the same subject. */
export function DriftSection({ scan }: { readonly scan: Scan }) {
  const languages = scan.callGraphs.map(({ language }) => language);
  const [chosen, choose] = useState<string>();
  const language = languages.find((one) => one === chosen) ?? languages[0];
  if (language === undefined) return null;
  return (
    <Section title={t('drift.title')}>
      <p className="soft" style={{ paddingBlock: 8 }}>
        {t('drift.section.lead')}
      </p>
      <LatestDrift scan={scan} language={language} />
      {scan.subject === null ? (
        <EmptyState>{t('drift.noSubject')}</EmptyState>
      ) : (
        <Compare scan={scan} subject={scan.subject.name} language={language} languages={languages} choose={choose} />
      )}
    </Section>
  );
}

/** Drift that was computed last; nothing where there is none, since only the comparison makes one. */
function LatestDrift({ scan: { id, callGraphs }, language }: { readonly scan: Scan; readonly language: string }) {
  const version = callGraphs.map(({ graphHash }) => graphHash).join();
  const latest = useQueryOnce(LatestDriftDocument, { id, language }, version);
  const drift = latest.data?.scan?.drift ?? null;
  if (drift === null) return null;
  return (
    <p className={styles.latest}>
      <Link to="/drift/$id" params={{ id: drift.id }}>
        {t('drift.since', { language: drift.language, base: scanName(drift.baseScan) })}
      </Link>
      <span>{t('drift.counts', { more: drift.counts.becameReachable, less: drift.counts.becameUnreachable })}</span>
      <span className="small quiet">
        {t('drift.computed')} <Time at={drift.computedAt} />
      </span>
    </p>
  );
}

type CompareProps = {
  readonly scan: Scan;
  readonly subject: string;
  readonly language: string;
  readonly languages: readonly string[];
  readonly choose: (language: string) => void;
};

function Compare(props: CompareProps) {
  const { scan, subject, language, languages, choose } = props;
  const others = useLiveQuery(BaseScansDocument, { subject }, ['Scan']);
  const [wanted, want] = useState<string>();
  return (
    <QueryResult of={others} skeleton={<SkeletonRows rows={1} />} fault={t('drift.bases.fault')}>
      {(data) => {
        const bases = basesOf(data, scan.id, language);
        const base = bases.find(({ id }) => id === wanted) ?? bases[0];
        return (
          <>
            <div className={styles.compare}>
              {languages.length > 1 && (
                <Select
                  name="language"
                  label={t('graph.language')}
                  value={language}
                  options={languages.map((value) => ({ value, label: value }))}
                  onValue={choose}
                />
              )}
              {base !== undefined && (
                <>
                  <Select
                    name="base"
                    label={t('drift.base')}
                    value={base.id}
                    options={bases.map((one) => ({ value: one.id, label: baseLabel(one) }))}
                    onValue={want}
                  />
                  <CompareButton id={scan.id} baseScanId={base.id} language={language} />
                </>
              )}
            </div>
            {base === undefined && <EmptyState>{t('drift.noBase', { subject, language })}</EmptyState>}
          </>
        );
      }}
    </QueryResult>
  );
}

type BaseScan = BaseScansQuery['scans']['edges'][number]['node'];

/** Other scans of the subject with a call graph of the language, newest first. */
const basesOf = ({ scans }: BaseScansQuery, id: string, language: string): BaseScan[] =>
  scans.edges
    .map(({ node }) => node)
    .filter((node) => node.id !== id && node.callGraphs.some((graph) => graph.language === language));

const baseLabel = (scan: BaseScan): string =>
  t('drift.base.of', { name: scanName(scan), at: instant(scan.createdAt, settings().zone, 'minute') });

type CompareButtonProps = { readonly id: string; readonly baseScanId: string; readonly language: string };

/** Compares two scans, which may take a while the first time, and opens their drift. */
function CompareButton({ id, baseScanId, language }: CompareButtonProps) {
  const client = useApolloClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const compare = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const variables = { id, baseScanId, language };
      const { data } = await client.query({ query: CompareScansDocument, variables, fetchPolicy: 'network-only' });
      const drift = data?.scan?.drift;
      if (drift) await navigate({ to: '/drift/$id', params: { id: drift.id } });
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <>
      <Button busy={busy} onClick={() => void compare()}>
        {t('drift.compare')}
      </Button>
      <ActionError problem={problem} />
    </>
  );
}
