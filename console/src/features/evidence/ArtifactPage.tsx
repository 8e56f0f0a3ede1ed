import { getRouteApi } from '@tanstack/react-router';
import { Fragment } from 'react';
import { ArtifactDetailDocument, type ArtifactDetailQuery } from '../../generated/operations.ts';
import { mayDispose, mayHold, mayNameSubjects, mayReadEvidence } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { sizeText } from '../../lib/size-text.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ArtifactState, aboutLabel, SubjectLink } from '../../parts/Artifacts.tsx';
import { FileButton } from '../../parts/FileButton.tsx';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { ArtifactDialogs } from './ArtifactDialogs.tsx';
import { Holds } from './Holds.tsx';
import { keepersText, t } from './labels.ts';
import { References } from './References.tsx';
import { Subjects } from './Subjects.tsx';

const route = getRouteApi('/evidence/$id');

export type Artifact = NonNullable<ArtifactDetailQuery['artifact']>;

/** Page of an artifact: what it is about, who signed it, what keeps it, and its bytes. */
export function ArtifactPage() {
  const { id } = route.useParams();
  const may = { mayRead: mayReadEvidence(), mayName: mayNameSubjects() };
  const answer = useLiveQuery(ArtifactDetailDocument, { id, ...may }, ['Artifact', 'EvidenceHold', 'EvidenceBundle']);
  return (
    <EntityPage
      of={answer}
      entity={({ artifact }) => artifact}
      fault={t('artifact.fault')}
      gone={t('artifact.notFound')}
    >
      {(artifact) => <Page artifact={artifact} />}
    </EntityPage>
  );
}

function Page({ artifact }: { readonly artifact: Artifact }) {
  const navigate = route.useNavigate();
  const { view, set } = usePageView(route.useSearch(), navigate);
  const open = (ask: NonNullable<typeof view.ask>) => () => set({ ask });
  const actions: PageAction[] = [
    ...(mayHold() ? [{ id: 'artifact.hold', keys: 'h', title: t('hold.place'), run: open('hold') }] : []),
  ];
  return (
    <>
      <PageHead
        crumbs={[{ path: '/evidence', label: t('artifacts.title') }]}
        title={aboutLabel(artifact)}
        state={<ArtifactState of={artifact} />}
        actions={actions}
        verbs={mayReadEvidence() && artifact.corruptAt === null && <Download id={artifact.id} />}
      >
        {t(`artifact.lead.${artifact.type}`)}
      </PageHead>
      {artifact.corruptAt !== null && (
        <Banner tone="bad" title={t('artifact.corrupt.title')}>
          <span>
            {t('artifact.corrupt.found')} <Time at={artifact.corruptAt} />
          </span>
          <span>{t('artifact.corrupt.next')}</span>
        </Banner>
      )}
      <Figures artifact={artifact} />
      <Subjects artifact={artifact} />
      <References artifact={artifact} />
      <Holds artifact={artifact} place={mayHold() ? open('hold') : undefined} />
      <Retention artifact={artifact} open={open} />
      <Identity artifact={artifact} />
      {view.ask !== undefined && (
        <ArtifactDialogs
          ask={view.ask}
          artifact={artifact}
          close={() => set({ ask: undefined })}
          deleted={() => void navigate({ to: '/evidence' })}
        />
      )}
    </>
  );
}

const Download = ({ id }: { readonly id: string }) => (
  <FileButton size="normal" keys="d" path={`/api/v1/artifacts/${id}/content`} name={`${id}.json`}>
    {t('artifact.download')}
  </FileButton>
);

function Figures({ artifact: { type, sizeBytes, holds, checkedAt } }: { readonly artifact: Artifact }) {
  const held = holds?.filter(({ endedAt }) => endedAt === null).length;
  return (
    <Gauges label={t('artifact.figures')}>
      <Gauge label={t('artifact.type')} value={t(`artifact.type.${type}`)} sub={sizeText(sizeBytes)} />
      {held !== undefined && (
        <Gauge label={t('holds.title')} big={count(held)} sub={t(held > 0 ? 'holds.in' : 'holds.in.none')} />
      )}
      <Gauge label={t('artifact.checked')} value={<Time at={checkedAt} />} sub={t('artifact.checked.sub')} />
    </Gauges>
  );
}

type RetentionProps = { readonly artifact: Artifact; readonly open: (ask: 'retain' | 'delete') => () => void };

/** End of the retention, what keeps the artifact after it, and what changes it. */
const Retention = ({ artifact: { retainUntil, retention }, open }: RetentionProps) => (
  <Section
    title={t('artifact.retention')}
    side={
      <span className="row">
        {mayHold() && (
          <Button size="small" onClick={open('retain')}>
            {t('artifact.retain')}
          </Button>
        )}
        {mayDispose() && (
          <Button size="small" onClick={open('delete')}>
            {t('artifact.delete')}
          </Button>
        )}
      </span>
    }
    bare
  >
    <p>
      {t('artifact.retained')} <RetentionEnd at={retention?.retainedUntil ?? retainUntil} />{' '}
      <span className="quiet">{t('artifact.retained.sub')}</span>
    </p>
    {retention && (
      <p>
        {retention.keptBy.length === 0
          ? t(retention.isEnded ? 'retention.after.due' : 'retention.after.none')
          : t('retention.after.kept', { by: keepersText(retention.keptBy) })}
      </p>
    )}
  </Section>
);

const RetentionEnd = ({ at }: { readonly at: string | null }) =>
  at === null ? t('artifact.retained.default') : <Time at={at} as="full" />;

/** Key whose parts cannot mirror each other: a bom-ref may have characters that turn the direction of the text. */
const StorageKey = ({ of: key }: { readonly of: string }) => (
  <span className="code">
    {key.split('/').map((part, index) => (
      <Fragment key={key.split('/', index + 1).join('/')}>
        {index > 0 && '/'}
        <bdi>{part}</bdi>
      </Fragment>
    ))}
  </span>
);

/** Names under which the artifact is found, and by whom it was put. */
function Identity({ artifact }: { readonly artifact: Artifact }) {
  const { sha256, serialNumber, contentType, storageKey, createdBy, createdAt, id, bomRef, about } = artifact;
  return (
    <Section title={t('artifact.identity')} bare>
      <Facts look="page">
        <Fact label={t('artifact.bomRef')}>
          <span className="code">{bomRef}</span>{' '}
          {about && <SubjectLink about={about}>{t(`artifact.open.${about.kind}`)}</SubjectLink>}
        </Fact>
        <Fact label={t('artifact.sha256')}>
          <Digest value={sha256} />
        </Fact>
        <Fact label={t('artifact.serial')} code={serialNumber} />
        <Fact label={t('artifact.id')} code={id} />
        <Fact label={t('artifact.contentType')} code={contentType} />
        <Fact label={t('artifact.storageKey')}>
          <StorageKey of={storageKey} />
        </Fact>
        <Fact label={t('artifact.created')}>
          <Time at={createdAt} /> {t('artifact.created.by', { name: createdBy.displayName })}
        </Fact>
      </Facts>
    </Section>
  );
}
