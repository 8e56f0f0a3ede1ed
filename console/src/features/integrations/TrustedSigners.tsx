import {
  RemoveTrustedSignerDocument,
  type SignerRowFragment,
  TrustedSignersDocument,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count, listText } from '../../lib/i18n.ts';
import { AdminButton } from '../../parts/AdminButton.tsx';
import { actionsColumn, RowAction } from '../../parts/RowAction.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type Ask = (what: 'signer' | 'image') => void;

type TrustedSignersProps = {
  readonly ask: Ask;
  /** Whether the user may add and remove signers. */
  readonly administers: boolean;
};

/** Trusted signers of images and the links they count for. A separate query: the rest of the page loads without it. */
export function TrustedSigners({ ask, administers }: TrustedSignersProps) {
  const signers = useLiveQuery(TrustedSignersDocument, {}, ['TrustedSigner']);
  return (
    <ListSection
      title={t('signers.title')}
      count={signers.data && count(signers.data.trustedSigners.length)}
      side={
        <>
          <Button size="small" weight="plain" onClick={() => ask('image')}>
            {t('image.create')}
          </Button>
          <AdminButton plus label={t('signer.create')} press={() => ask('signer')} />
        </>
      }
      of={signers}
      rows={({ trustedSigners }) => trustedSigners}
      fault={t('signers.fault')}
      empty={t('signers.empty')}
      skeleton={2}
      columns={columns(administers)}
      labelled
    />
  );
}

const columns = (administers: boolean): Column<SignerRowFragment>[] => [
  { name: t('integration.name'), cell: ({ name }) => name },
  {
    name: t('signer.counts'),
    className: 'soft',
    cell: ({ purposes }) => listText(purposes.map((purpose) => t(`signer.for.${purpose}`))),
  },
  { name: t('signer.identityOrKey'), cell: (signer) => <SignerIdentity signer={signer} /> },
  {
    name: t('signer.builder'),
    cell: ({ builderId }) => optional(builderId, t('signer.builder.any'), (id) => <span className="code">{id}</span>),
  },
  { name: t('signer.since'), number: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} as="relative" /> },
  ...(administers ? [actionsColumn((signer: SignerRowFragment) => <RemoveSigner {...signer} />)] : []),
];

function RemoveSigner({ id, name, version }: SignerRowFragment) {
  return (
    <RowAction
      label={t('component.remove', { name })}
      document={RemoveTrustedSignerDocument}
      input={{ id, expectedVersion: version }}
      title={t('signer.remove.title', { name })}
      lead={t('signer.remove.lead')}
      verb={t('signer.remove.verb')}
      done={t('signer.removed', { name })}
      refetch={[TrustedSignersDocument]}
    >
      {t('target.remove')}
    </RowAction>
  );
}

/** Key by its fingerprint, an identity by its issuer. */
function SignerIdentity({ signer: { kind, keyId, issuer, identity } }: { readonly signer: SignerRowFragment }) {
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
