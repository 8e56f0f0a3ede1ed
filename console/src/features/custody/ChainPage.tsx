import { getRouteApi } from '@tanstack/react-router';
import { ChainDocument, type ChainQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLive } from '../../lib/graph.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { linkOf } from '../../lib/links.ts';
import { CrumbGap, Head } from '../../ui/Head.tsx';
import { Link } from '../../ui/Link.tsx';
import { Missing } from '../../ui/Missing.tsx';
import { SkeletonPage, States } from '../../ui/States.tsx';
import { Auditor } from './Auditor.tsx';
import { Chain } from './Chain.tsx';
import styles from './Custody.module.css';
import { byState, firstToOpen, statementToOpen } from './chain.ts';
import { LinkPart } from './LinkPart.tsx';
import { LogPart } from './LogPart.tsx';
import { ProveVerb } from './Proving.tsx';
import { sentence } from './sentence.ts';
import { useProving } from './use-proving.ts';
import { CHANGES_CUSTODY } from './watched.ts';
import { t } from './words.ts';

const route = getRouteApi('/custody/$releaseId');

type Release = NonNullable<ChainQuery['release']>;
type Steps = NonNullable<ChainQuery['custody']>['steps'];

/** A release from its source to what runs: six links, what each rests on, and the way to prove it or take it along. */
export function ChainPage() {
  const { releaseId } = route.useParams();
  const chain = useLive(ChainDocument, { id: releaseId }, CHANGES_CUSTODY);
  const gone = <Missing what={t('release.gone')} />;
  return (
    <States of={chain} skeleton={<SkeletonPage />} fault={t('chain.fault')} gone={gone}>
      {({ release, custody }) =>
        release === null || custody === null ? gone : <Page key={releaseId} release={release} steps={custody.steps} />
      }
    </States>
  );
}

function Page({ release, steps }: { readonly release: Release; readonly steps: Steps }) {
  const { link, statement } = route.useSearch();
  const navigate = route.useNavigate();
  const open = steps.find(({ step }) => linkOf(step) === link) ?? firstToOpen(steps);
  const go = (by: 1 | -1) => () => {
    const next = steps[steps.findIndex(({ step }) => step === open?.step) + by];
    if (next !== undefined) void navigate({ search: { link: linkOf(next.step) }, replace: true, resetScroll: false });
  };
  useCommands([
    { id: 'link.next', group: 'move', keys: ']', title: t('chain.next'), run: go(1) },
    { id: 'link.previous', group: 'move', keys: '[', title: t('chain.previous'), run: go(-1) },
  ]);
  const proving = useProving(release.id);
  const what = `${release.name} ${release.semver}`;
  if (open === undefined) return null;
  const shown = statementToOpen(open.statements, statement);
  const choose = (next: string | undefined) =>
    void navigate({ search: { link: linkOf(open.step), statement: next }, replace: true, resetScroll: false });
  return (
    <>
      <Head
        crumbs={
          <>
            <Link look="bare" to="/custody">
              {t('custodies.title')}
            </Link>
            <CrumbGap />
            <Link look="bare" to="/releases/$id" params={{ id: release.id }}>
              {what}
            </Link>
          </>
        }
        title={t('chain.title')}
        tab={t('chain.tab', { what })}
        verbs={
          <ProveVerb
            step={open}
            open={shown?.statement.attestation?.ref}
            proving={proving}
            stay={() => choose(statement ?? shown?.name)}
          />
        }
      >
        {lead(steps)}
      </Head>
      <Chain releaseId={release.id} steps={steps} open={open.step} proving={proving} />
      <div className={styles.two}>
        <LinkPart key={open.step} release={release} step={open} chosen={statement} proving={proving} choose={choose} />
        <div>
          <Auditor release={release} />
          <LogPart />
        </div>
      </div>
    </>
  );
}

/** One sentence of what is proven, what is only signed, and of what nothing is said. */
function lead(steps: Steps): string {
  const { PROVEN, SIGNED, MISSING } = byState(steps);
  if (PROVEN.length === steps.length) return t('chain.lead.proven');
  if (MISSING.length === steps.length) return t('chain.lead.missing');
  const told = (key: 'chain.lead.PROVEN' | 'chain.lead.SIGNED' | 'chain.lead.MISSING', some: Steps) =>
    some.length === 0 ? '' : sentence(t(key, { names: names(some), n: some.length }));
  return [told('chain.lead.PROVEN', PROVEN), told('chain.lead.SIGNED', SIGNED), told('chain.lead.MISSING', MISSING)]
    .filter(Boolean)
    .join(' ');
}

const names = (steps: Steps): string =>
  new Intl.ListFormat(currentLocale(), { type: 'conjunction' }).format(steps.map(({ step }) => t(`link.${step}`)));
