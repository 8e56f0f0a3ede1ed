import { getRouteApi } from '@tanstack/react-router';
import { IntegrationsDocument, type IntegrationsQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLive } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { may } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Head } from '../../ui/Head.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Section } from '../../ui/Section.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { CheckImage } from './CheckImage.tsx';
import { CreateIntegration } from './CreateIntegration.tsx';
import { CreateProvider } from './CreateProvider.tsx';
import { CreateSigner } from './CreateSigner.tsx';
import { Parties } from './Parties.tsx';
import { Providers } from './Providers.tsx';
import { SaveSecret } from './SaveSecret.tsx';
import { Secrets } from './Secrets.tsx';
import { SignerPart } from './SignerPart.tsx';
import { t } from './words.ts';

const route = getRouteApi('/integrations');

type Ask = 'integration' | 'provider' | 'secret' | 'signer' | 'image';

const ASKS = [
  ['integration', 'n'],
  ['provider', 'p'],
  ['secret', 's'],
  ['signer', 't'],
] as const satisfies readonly (readonly [Ask, string])[];

/** Whom Landfall asks: registries, metrics servers, and where secrets come from. */
export function IntegrationsPage() {
  const integrations = useLive(IntegrationsDocument, {}, ['Integration', 'SecretProvider', 'Secret']);
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: Ask | undefined) => void navigate({ search: { ask: next }, replace: true, resetScroll: false });
  const administers = may('orch:admin');
  useCommands(
    [...(administers ? ASKS : []), ['image', 'i'] as const].map(([what, keys]) => ({
      id: `create.${what}`,
      group: 'act',
      keys,
      title: t(`${what}.create`),
      run: () => asking(what),
    })),
  );
  const close = () => asking(undefined);
  return (
    <>
      <Head title={t('integrations.title')}>{t('integrations.lead')}</Head>
      <States of={integrations} skeleton={<SkeletonRows rows={6} />} fault={t('integrations.fault')}>
        {(data) => <Parts data={data} ask={administers ? asking : undefined} />}
      </States>
      <SignerPart ask={asking} administers={administers} />
      {administers && ask === 'signer' && <CreateSigner close={close} />}
      {ask === 'image' && <CheckImage close={close} />}
      {administers && ask === 'integration' && <CreateIntegration close={close} />}
      {administers && ask === 'provider' && <CreateProvider close={close} />}
      {administers && ask === 'secret' && (
        <SaveSecret taken={integrations.data?.secrets.map(({ name }) => name) ?? []} close={close} />
      )}
    </>
  );
}

function Parts({
  data: { integrations, secretProviders, secrets },
  ask,
}: {
  readonly data: IntegrationsQuery;
  /** Undefined where nothing is the reader's to make. */
  readonly ask: ((what: Ask) => void) | undefined;
}) {
  const verb = (what: Ask) =>
    ask === undefined ? (
      <span className="small quiet">{t('admin.rule')}</span>
    ) : (
      <Button size="small" weight="plain" onClick={() => ask(what)}>
        <Icon name="plus" size={14} />
        {t(`${what}.create`)}
      </Button>
    );
  const mayTest = ask !== undefined;
  return (
    <>
      <Section title={t('integrations.parties')} count={count(integrations.length)} side={verb('integration')}>
        {integrations.length === 0 ? (
          <Empty>{t('integrations.never')}</Empty>
        ) : (
          <Parties parties={integrations} mayTest={mayTest} />
        )}
      </Section>
      <Section title={t('providers.title')} count={count(secretProviders.length)} side={verb('provider')}>
        {secretProviders.length === 0 ? (
          <Empty>{t('providers.never')}</Empty>
        ) : (
          <Providers providers={secretProviders} mayTest={mayTest} />
        )}
      </Section>
      <Section title={t('secrets.title')} count={count(secrets.length)} side={verb('secret')}>
        {secrets.length === 0 ? <Empty>{t('secrets.never')}</Empty> : <Secrets secrets={secrets} />}
      </Section>
    </>
  );
}
