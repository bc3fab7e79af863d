package io.fibry.cluster.infinispan;

import io.fibry.cluster.infinispan.Reconciliation.Round;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Asks the member that has decided a change whether its round still lasts there. That member may have lost others before this node knows; from then on Infinispan
 * does not wait for them, so the change may not have reached all members of the round, although this node is still in it.
 *
 * <p>Thread-safe.
 */
final class RoundCheck {
    private static final byte QUESTION = 0;
    private static final byte YES = 1;
    private static final byte NO = 2;

    private final UUID self;
    private final Supplier<Optional<Round>> whole;
    private final BiConsumer<UUID, ByteBuffer> send;
    private final AtomicLong number = new AtomicLong();
    private final Map<Long, CompletableFuture<Boolean>> questions = new ConcurrentHashMap<>();

    RoundCheck(UUID self, Supplier<Optional<Round>> whole, BiConsumer<UUID, ByteBuffer> send) {
        this.self = self;
        this.whole = whole;
        this.send = send;
    }

    /** Whether a round lasts at a member and here. Completed with false when the view changes before the answer comes. */
    CompletableFuture<Boolean> isLasting(UUID member, Round round) {
        if (member.equals(self)) {
            return CompletableFuture.completedFuture(isWhole(round));
        }
        var answer = new CompletableFuture<Boolean>();
        var id = number.incrementAndGet();
        questions.put(id, answer);
        answer.whenComplete((told, failed) -> questions.remove(id));
        send.accept(member,
                ByteBuffer.allocate(1 + 8 + 8 + 4).put(QUESTION).putLong(id).putLong(round.epoch())
                        .putInt(round.topology()).flip());
        // Otherwise a change of the view that came before the question was noted would not end it.
        if (!isWhole(round)) {
            answer.complete(false);
        }
        return answer.thenApply(isThere -> isThere && isWhole(round));
    }

    void heard(UUID from, ByteBuffer bytes) {
        var kind = bytes.get();
        var id = bytes.getLong();
        if (kind == QUESTION) {
            var isLasting = isWhole(new Round(bytes.getLong(), bytes.getInt()));
            send.accept(from, ByteBuffer.allocate(1 + 8).put(isLasting ? YES : NO).putLong(id).flip());
        } else {
            var question = questions.get(id);
            if (question != null) {
                question.complete(kind == YES);
            }
        }
    }

    private boolean isWhole(Round round) {
        return whole.get().equals(Optional.of(round));
    }

    /** The view has changed, or this node ends. */
    void viewChanged() {
        questions.values().forEach(each -> each.complete(false));
    }
}
