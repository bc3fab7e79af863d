package io.fibry.durable;

import io.fibry.durable.Journal.Id;

/** What is read from a journal. */
sealed interface Look {
    /** The log of a key: {@code Optional<Loaded>}. */
    record Log(Id id) implements Look {
    }

    /** The newest revision of a key: {@code Long}, 0 if there is none. */
    record Newest(Id id) implements Look {
    }

    /** Something that is not read for many at once. */
    record One(DurableStore.Access<?> access) implements Look {
    }
}
