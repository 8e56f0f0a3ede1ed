import { useRouter } from '@tanstack/react-router';
import { ViewCommandsDocument } from '../generated/operations.ts';
import { useCommands } from '../lib/commands.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { t } from '../lib/i18n.ts';

/** Offers the saved views as commands. */
export function ViewCommands() {
  const router = useRouter();
  const { data } = useLiveQuery(ViewCommandsDocument, {}, ['SavedView']);
  useCommands(
    (data?.savedViews ?? []).map(({ id, name, path }) => ({
      id: `view.${id}`,
      group: 'go',
      title: t('view.go', { name }),
      run: () => router.history.push(path),
    })),
  );
  return null;
}
