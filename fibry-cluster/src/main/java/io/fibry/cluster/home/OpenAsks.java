package io.fibry.cluster.home;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The asks of this node that have no answer, and the nodes that have taken them. */
final class OpenAsks {
    private static final int MOST_PROBES = 8;

    private final Map<Long, Asked> asks = new LinkedHashMap<>();

    private static final class Asked {
        final Letter letter;
        @Nullable UUID takenBy;
        /** What is to go along the ask when it is known who has it. */
        final List<byte[]> probes = new ArrayList<>();

        Asked(Letter letter) {
            this.letter = letter;
        }
    }

    /** Whether a node has taken one. */
    boolean areTaken() {
        return asks.values().stream().anyMatch(asked -> asked.takenBy != null);
    }

    void add(Letter letter) {
        if (letter.ask != 0) {
            asks.put(letter.ask, new Asked(letter));
        }
    }

    /** A node has taken an ask; returns the probes that have waited for that. */
    List<byte[]> take(Letter letter, UUID by) {
        var asked = asks.get(letter.ask);
        if (asked == null) {
            return List.of();
        }
        asked.takenBy = by;
        var probes = List.copyOf(asked.probes);
        asked.probes.clear();
        return probes;
    }

    /** Returns the node that has taken an ask. If none has yet, null, and the probe waits for that. Null also if the ask is not open. */
    @Nullable UUID takenBy(Letter letter, byte[] probe) {
        var asked = asks.get(letter.ask);
        if (asked == null || asked.letter != letter) {
            return null;
        }
        if (asked.takenBy == null && asked.probes.size() < MOST_PROBES) {
            asked.probes.add(probe);
        }
        return asked.takenBy;
    }

    /** No node has an ask any more that one has taken: it is sent again. */
    void give(Letter letter) {
        var asked = asks.get(letter.ask);
        if (asked != null) {
            asked.takenBy = null;
        }
    }

    /** Returns the node that has taken an ask; null if none has, or if it is not open. */
    @Nullable UUID takenBy(Letter letter) {
        var asked = asks.get(letter.ask);
        return asked == null ? null : asked.takenBy;
    }

    /** Ends an ask; returns its letter, or null if it was not open. */
    @Nullable Letter end(long ask) {
        var asked = asks.remove(ask);
        return asked == null ? null : asked.letter;
    }

    /** Returns the letters of the asks that a node has taken. */
    List<Letter> takenBy(UUID node) {
        return asks.values().stream().filter(asked -> node.equals(asked.takenBy)).map(asked -> asked.letter)
                .toList();
    }
}
