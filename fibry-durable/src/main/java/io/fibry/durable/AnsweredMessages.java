package io.fibry.durable;

import io.fibry.durable.Frames.KeptAnswer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The answers to the messages with an id that one actor has handled, in turns that are written or under way. */
final class AnsweredMessages {
    private final Map<String, KeptAnswer> kept = new LinkedHashMap<>();

    Optional<KeptAnswer> find(String id) {
        return id.isEmpty() ? Optional.empty() : Optional.ofNullable(kept.get(id));
    }

    void add(KeptAnswer answer) {
        kept.put(answer.id(), answer);
    }

    void forgetBefore(Instant oldest) {
        // The answers are in the order of their turns.
        for (var all = kept.values().iterator(); all.hasNext() && all.next().at().isBefore(oldest);) {
            all.remove();
        }
    }

    void clear() {
        kept.clear();
    }

    /** Returns all answers as bytes, together with that of a turn that is not under way yet. */
    byte[] with(Optional<KeptAnswer> next) {
        var all = new ArrayList<>(kept.values());
        next.ifPresent(all::add);
        return Frames.ids(all);
    }
}
