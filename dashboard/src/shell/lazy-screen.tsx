/** A screen whose code is loaded when it is first shown, so that the others do not carry it. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { ScreenProps } from "../app/screen-props.ts";
import { Button } from "../parts/button.tsx";
import { Notice } from "../parts/notice.tsx";
import { Bar } from "./bar.tsx";

type Screen = ComponentType<ScreenProps>;

export function lazyScreen(title: string, load: () => Promise<Screen>): Screen {
  const loaded = signal<Screen | null>(null);
  const hasFailed = signal(false);
  return function LazyScreen(props) {
    useEffect(() => {
      if (loaded.value !== null) return;
      load().then(
        (screen) => (loaded.value = screen),
        () => (hasFailed.value = true),
      );
    }, []);
    const Loaded = loaded.value;
    if (Loaded !== null) return <Loaded {...props} />;
    return (
      <>
        <Bar title={title} />
        <div class="body">{hasFailed.value ? <NotLoaded /> : null}</div>
      </>
    );
  };
}

/** The server has another version by now, or does not answer. */
function NotLoaded() {
  return (
    <Notice
      title="This screen could not be loaded."
      actions={
        <Button isSmall onPress={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      The server may have been updated since you opened the page.
    </Notice>
  );
}
