package io.fibry.cluster.infinispan;

import io.fibry.cluster.infinispan.Reconciliation.Round;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the member that has decided a change whether its round still lasts there. That member may have lost others before this node knows; from then on Infinispan
 * does not wait for them, so the change may not have reached all members of the round, although this node is still in it.
 *
 * <p>Thread-safe.
 */
final class RoundCheck {
    private static final Logger LOGGER = LoggerFactory.getLogger(RoundCheck.class);
    private static final byte QUESTION = 0;
    private static final byte YES = 1;
    private static final byte NO = 2;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final UUID self;
    private final Supplier<Optional<Round>> whole;
    private final Predicate<Round> isFollowing;
    private final BiPredicate<UUID, ByteBuffer> send;
    private final AtomicLong number = new AtomicLong();
    /** A question is noted before it is sent, and the view is read after that. */
    private final Map<Long, CompletableFuture<Boolean>> questions = new ConcurrentHashMap<>();

    /**
     * Makes a check.
     *
     * @param self this node
     * @param whole tells the round in which changes may begin here
     * @param isFollowing tells whether this node is in a round; it need not know yet that changes may begin there
     * @param send sends to a member, and returns false if it cannot
     */
    RoundCheck(UUID self, Supplier<Optional<Round>> whole, Predicate<Round> isFollowing,
            BiPredicate<UUID, ByteBuffer> send) {
        this.self = self;
        this.whole = whole;
        this.isFollowing = isFollowing;
        this.send = send;
    }

    /** Tells whether a round lasts at a member and here. When the view changes before the answer comes, the result is false. */
    CompletableFuture<Boolean> isLasting(UUID member, Round round) {
        if (member.equals(self)) {
            return CompletableFuture.completedFuture(isWhole(round));
        }
        var answer = new CompletableFuture<Boolean>();
        var id = number.incrementAndGet();
        questions.put(id, answer);
        answer.whenComplete((told, failed) -> questions.remove(id));
        answer.completeOnTimeout(false, LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        var isSent = send.test(member, ByteBuffer.allocate(1 + 8 + 8 + 4).put(QUESTION).putLong(id)
                .putLong(round.epoch()).putInt(round.topology()).flip());
        // Otherwise a change of the view that came before the question was noted would not end it.
        if (!isSent || !isWhole(round)) {
            answer.complete(false);
        }
        return answer.thenApply(isThere -> isThere && isWhole(round));
    }

    void heard(UUID from, ByteBuffer bytes) {
        var kind = bytes.get();
        var id = bytes.getLong();
        if (kind == QUESTION) {
            var isLasting = isFollowing.test(new Round(bytes.getLong(), bytes.getInt()));
            var isSent = send.test(from,
                    ByteBuffer.allocate(1 + 8).put(isLasting ? YES : NO).putLong(id).flip());
            LOGGER.trace("{} was answered: {}", from, isSent);
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
