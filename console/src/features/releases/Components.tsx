import { useState } from 'react';
import {
  AddReleaseComponentDocument,
  type ComponentsFragment,
  RemoveReleaseComponentDocument,
} from '../../generated/operations.ts';
import { csv, download } from '../../lib/download.ts';
import { useAction } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Form } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Table } from '../../ui/Table.tsx';
import { ComponentFields, componentFrom } from './ComponentFields.tsx';
import { t } from './labels.ts';

type Component = ComponentsFragment['components'][number];

/** What the release is made of. A draft's components can be added and removed. */
export function Components({ release }: { readonly release: ComponentsFragment }) {
  const { id, version, components, status } = release;
  const [adding, setAdding] = useState(false);
  const removal = useAction(RemoveReleaseComponentDocument);
  const open = status === 'DRAFT' && hasScope('orch:operate');
  const remove = (name: string) => void removal.run({ releaseId: id, expectedVersion: version, name });
  return (
    <Section
      title={t('components.title')}
      count={count(components.length)}
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
    >
      {components.length === 0 ? (
        <EmptyState>{t('components.none')}</EmptyState>
      ) : (
        <ComponentTable components={components} remove={open ? remove : undefined} />
      )}
      <ActionError problem={removal.problem} />
      {adding && <AddComponent release={release} close={() => setAdding(false)} />}
    </Section>
  );
}

function ComponentTable({
  components,
  remove,
}: {
  readonly components: readonly Component[];
  readonly remove: ((name: string) => void) | undefined;
}) {
  return (
    <Table
      label={t('components.title')}
      list
      head={[
        { name: t('components.name') },
        { name: t('components.repository') },
        { name: t('components.tag') },
        { name: t('components.digest') },
        { name: t('components.platforms') },
        ...(remove ? [{ name: t('components.remove'), hidden: true }] : []),
      ]}
    >
      {components.map((component) => (
        <tr key={component.name}>
          <th scope="row">{component.name}</th>
          <td className="soft breaks">{component.repository}</td>
          <td className="breaks">{component.requestedTag ?? <span className="quiet">{t('none')}</span>}</td>
          <td>
            {component.digest === null ? (
              <span className="quiet">{t('component.unresolved')}</span>
            ) : (
              <Digest value={component.digest} />
            )}
          </td>
          <td className="soft breaks">{platformsOf(component)}</td>
          {remove && (
            <td className="num end">
              <IconButton
                label={t('component.remove', { name: component.name })}
                onClick={() => remove(component.name)}
              >
                <Icon name="close" />
              </IconButton>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

/** Platforms of an image index; a single manifest says none. */
const platformsOf = ({ platforms, digest }: Component): string => {
  if (digest === null) return '';
  return platforms.length === 0 ? t('component.single') : platforms.map(({ platform }) => platform).join(', ');
};

function AddComponent({ release, close }: { readonly release: ComponentsFragment; readonly close: () => void }) {
  const verb = useAction(AddReleaseComponentDocument);
  const submit = async (data: FormData) => {
    const component = componentFrom(data, 'component.');
    if (await verb.run({ releaseId: release.id, expectedVersion: release.version, component })) close();
  };
  return (
    <Dialog title={t('component.add')} close={close}>
      <Form problems={verb.problem?.fields} submit={submit}>
        <ComponentFields prefix="component." legend={t('component.new')} />
        <FormFoot act={verb} verb={t('component.add')} close={close} />
      </Form>
    </Dialog>
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
