import { useState } from 'react';
import {
  AddReleaseComponentDocument,
  type ComponentsFragment,
  RemoveReleaseComponentDocument,
} from '../../generated/operations.ts';
import { csv, download } from '../../lib/download.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { ComponentFields, componentFrom } from './ComponentFields.tsx';
import { t } from './labels.ts';

type Component = ComponentsFragment['components'][number];

/** Components of the release. A draft's components can be added and removed. */
export function Components({ release }: { readonly release: ComponentsFragment }) {
  const { id, version, components, status } = release;
  const [adding, setAdding] = useState(false);
  const removal = useAction(RemoveReleaseComponentDocument);
  const open = status === 'DRAFT' && hasScope('orch:operate');
  const remove = (name: string) => void removal.run({ releaseId: id, expectedVersion: version, name });
  return (
    <TableSection
      title={t('components.title')}
      side={
        <>
          {open && (
            <Button size="small" weight="plain" onClick={() => setAdding(true)}>
              <Icon name="plus" size={14} />
              {t('component.add')}
            </Button>
          )}
          {components.length > 0 && (
            <Button size="small" weight="plain" onClick={() => exportComponents(components)}>
              <Icon name="down" size={14} />
              {t('components.csv')}
            </Button>
          )}
        </>
      }
      empty={t('components.none')}
      rows={components}
      rowId={({ name }) => name}
      columns={columns(open ? remove : undefined)}
    >
      <ActionError problem={removal.problem} />
      {adding && <AddComponent release={release} close={() => setAdding(false)} />}
    </TableSection>
  );
}

const columns = (remove: ((name: string) => void) | undefined): Column<Component>[] => [
  { name: t('components.name'), cell: ({ name }) => name },
  { name: t('components.repository'), className: 'soft breaks', cell: ({ repository }) => repository },
  {
    name: t('components.tag'),
    className: 'breaks',
    cell: ({ requestedTag }) => optional(requestedTag, t('none'), (tag) => tag),
  },
  {
    name: t('components.digest'),
    cell: ({ digest }) => optional(digest, t('component.unresolved'), (value) => <Digest value={value} />),
  },
  { name: t('components.platforms'), className: 'soft breaks', cell: platformsOf },
  ...(remove === undefined ? [] : [removeColumn(remove)]),
];

const removeColumn = (remove: (name: string) => void): Column<Component> => ({
  name: t('components.remove'),
  hidden: true,
  number: true,
  className: 'end',
  cell: ({ name }) => (
    <IconButton label={t('component.remove', { name })} onClick={() => remove(name)}>
      <Icon name="close" />
    </IconButton>
  ),
});

/** Platforms of an image index; empty for a single manifest. */
const platformsOf = ({ platforms, digest }: Component): string => {
  if (digest === null) return '';
  return platforms.length === 0 ? t('component.single') : platforms.map(({ platform }) => platform).join(', ');
};

function AddComponent({ release, close }: { readonly release: ComponentsFragment; readonly close: () => void }) {
  return (
    <FormDialog
      document={AddReleaseComponentDocument}
      input={(_fields, data) => ({
        releaseId: release.id,
        expectedVersion: release.version,
        component: componentFrom(data, 'component.'),
      })}
      title={t('component.add')}
      verb={t('component.add')}
      close={close}
    >
      <ComponentFields prefix="component." legend={t('component.new')} />
    </FormDialog>
  );
}

function exportComponents(components: readonly Component[]): void {
  const head = ['name', 'repository', 'requestedTag', 'digest', 'mediaType'];
  const rows = components.map(({ name, repository, requestedTag, digest, mediaType }) => [
    name,
    repository,
    requestedTag ?? '',
    digest ?? '',
    mediaType ?? '',
  ]);
  download('components.csv', 'text/csv', csv(head, rows));
}
