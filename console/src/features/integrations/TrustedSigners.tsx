import { useState } from 'react';
import { type SignerRowFragment, TrustedSignersDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count, currentLocale } from '../../lib/i18n.ts';
import { Button, RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { RemoveSigner } from './RemoveSigner.tsx';

type Ask = (what: 'signer' | 'image') => void;

/** Trusted signers of images and the links they count for. A separate query: the rest of the page loads without it. */
export function TrustedSigners({
  ask,
  administers,
}: {
  readonly ask: Ask;
  /** Whether the user may add and remove signers. */
  readonly administers: boolean;
}) {
  const signers = useLiveQuery(TrustedSignersDocument, {}, ['TrustedSigner']);
  const [leaving, remove] = useState<SignerRowFragment>();
  return (
    <Section
      title={t('signers.title')}
      count={signers.data && count(signers.data.trustedSigners.length)}
      side={
        <>
          <Button size="small" weight="plain" onClick={() => ask('image')}>
            {t('image.create')}
          </Button>
          {administers ? (
            <Button size="small" weight="plain" onClick={() => ask('signer')}>
              <Icon name="plus" size={14} />
              {t('signer.create')}
            </Button>
          ) : (
            <span className="small quiet">{t('admin.rule')}</span>
          )}
        </>
      }
    >
      <ListResult
        of={signers}
        rows={({ trustedSigners }) => trustedSigners}
        fault={t('signers.fault')}
        empty={t('signers.never')}
        skeleton={2}
        label={t('signers.title')}
        columns={columns(administers ? remove : undefined)}
        labelled
      />
      {leaving !== undefined && <RemoveSigner signer={leaving} close={() => remove(undefined)} />}
    </Section>
  );
}

const columns = (remove: ((signer: SignerRowFragment) => void) | undefined): Column<SignerRowFragment>[] => [
  { name: t('integration.name'), cell: ({ name }) => name },
  {
    name: t('signer.counts'),
    className: 'soft',
    cell: ({ purposes }) =>
      new Intl.ListFormat(currentLocale()).format(purposes.map((purpose) => t(`signer.for.${purpose}`))),
  },
  { name: t('signer.who'), cell: (signer) => <Who signer={signer} /> },
  {
    name: t('signer.builder'),
    cell: ({ builderId }) => optional(builderId, t('signer.builder.any'), (id) => <span className="code">{id}</span>),
  },
  { name: t('signer.since'), number: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} as="relative" /> },
  ...(remove === undefined
    ? []
    : [
        {
          name: t('target.verbs'),
          hidden: true,
          number: true,
          cell: (signer: SignerRowFragment) => (
            <RowButton label={t('component.remove', { name: signer.name })} press={() => remove(signer)}>
              {t('target.remove')}
            </RowButton>
          ),
        },
      ]),
];

/** A key by its fingerprint, an identity by its issuer. */
function Who({ signer: { kind, keyId, issuer, identity } }: { readonly signer: SignerRowFragment }) {
  if (kind === 'KEY')
    return (
      <span title={keyId ?? undefined}>
        {t('signer.KEY')} <span className="code">{keyId?.slice(0, 16)}…</span>
      </span>
    );
  return (
    <div>
      <span className="code">{identity}</span>
      <p className="small quiet">{t('signer.issued', { issuer: issuer ?? '' })}</p>
    </div>
  );
}
