package io.fibry.cluster;

import io.fibry.MailboxFullException;
import io.fibry.cluster.circle.ActorWait;
import io.fibry.cluster.circle.NodeAsk;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.stream.Verdict;
import io.fibry.internal.actor.Losses;
import io.fibry.internal.actor.OutsideWait;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asks that were delivered to a group of this node and have no answer. Thread-safe: couriers add, those who answer remove, and the actor of the
 * member looks and cancels.
 */
final class DeliveredAsks {
    private static final Logger LOGGER = LoggerFactory.getLogger(DeliveredAsks.class);

    private final String group;
    private final Consumer<Input> member;
    private final TimeSource time;
    private final Map<NodeAsk, Open> open = new ConcurrentHashMap<>();

    /** An ask that is open, and the name of the actor that handles it. */
    private record Open(CompletableFuture<?> answer, Supplier<String> handler) {
    }

    DeliveredAsks(String group, Consumer<Input> member, TimeSource time) {
        this.group = group;
        this.member = member;
        this.time = time;
    }

    String group() {
        return group;
    }

    /** Tells a verdict. */
    void settle(HomeDelivery delivery, Verdict verdict) {
        member.accept(new Input.Settled(delivery, verdict));
    }

    /** Answers something that is no ask of an actor. */
    void answer(HomeDelivery delivery, AnswerBody body) {
        member.accept(new Input.Answered(delivery, body.bytes()));
    }

    /** What takes the message of a program has thrown an exception, such as a function that tells how much a message weighs. */
    void fail(HomeDelivery delivery, RuntimeException failure) {
        if (delivery.ask() != 0) {
            settle(delivery, Verdict.TAKEN);
            answer(delivery, AnswerBody.failure(failure));
        } else {
            LOGGER.warn(
                    "A message from node {} to the group '{}' was not taken: the program has thrown an exception",
                    delivery.from(), group, failure);
            settle(delivery, Verdict.NOT_UNDERSTOOD);
        }
    }

    /** Takes an ask, and gives the answer when it is there. If no handler gets it, it is refused, or answered with the reason. */
    void take(HomeDelivery delivery, Supplier<String> handler, long begin, CompletableFuture<?> answer,
            Function<@Nullable Object, AnswerBody> bodyOf) {
        if (answer.isCompletedExceptionally() && Losses.isLost(answer)) {
            settle(delivery, answer.exceptionNow() instanceof MailboxFullException ? Verdict.FULL
                    : Verdict.STOPPED);
            return;
        }
        var ask = new NodeAsk(delivery.from(), delivery.ask());
        open.put(ask, new Open(answer, handler)); // before the verdict: a probe may follow that
        settle(delivery, Verdict.TAKEN);
        var unused = answer.whenComplete((value, failure) -> {
            if (failure == null) {
                answer(delivery, bodyOf.apply(value));
            } else if (open.containsKey(ask) && !isOver(delivery, begin)) {
                answer(delivery, Losses.isLost(answer) ? AnswerBody.notHandled(failure)
                        : AnswerBody.failure(failure));
            }
            open.remove(ask); // after the answer: when none is open, all answers are with the member
        });
    }

    /** Whether the time of an ask is over. Its sender's clock ends it, whatever the handler throws after that. */
    private boolean isOver(HomeDelivery delivery, long begin) {
        return isLimited(delivery) && time.nanoTime() - begin >= delivery.remaining();
    }

    /** Returns a time of the clock by which asks are over. */
    long now() {
        return time.nanoTime();
    }

    static Duration limit(HomeDelivery delivery) {
        return Duration.ofNanos(Math.max(1, delivery.remaining()));
    }

    static boolean isLimited(HomeDelivery delivery) {
        return delivery.remaining() != Letter.NO_DEADLINE;
    }

    void cancelled(UUID from, long ask) {
        var wanted = open.remove(new NodeAsk(from, ask));
        if (wanted != null) {
            wanted.answer.cancel(false);
        }
    }

    Optional<ActorWait> waitUnder(NodeAsk ask, ClusterNode self) {
        var asked = open.get(ask);
        return asked == null ? Optional.empty()
                : OutsideWait.under(asked.answer)
                        .flatMap(wait -> OutgoingWait.of(wait, asked.handler.get(), self));
    }

    boolean areAnswered() {
        return open.isEmpty();
    }
}
