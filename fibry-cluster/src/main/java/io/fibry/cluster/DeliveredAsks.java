package io.fibry.cluster;

import io.fibry.MailboxFullException;
import io.fibry.cluster.circle.ActorWait;
import io.fibry.cluster.circle.NodeAsk;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.stream.Verdict;
import io.fibry.internal.actor.Losses;
import io.fibry.internal.cycles.RemoteWait;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asks that have come for a group of this node and have no answer, and the sends with a fate that is not known. Thread-safe: the actor of the
 * member adds, cancels and looks; couriers give them to those who answer; those who answer remove.
 *
 * <pre>
 *   come --> given     the courier has sent it to its recipient
 *   come, given --> gone   it was answered or refused, or its sender has cancelled it
 * </pre>
 *
 * <p>A cancellation may come at any time. It sets {@code isCancelled} and then reads {@code answer}; the courier sets
 * {@code answer} and then reads {@code isCancelled}. So one of them cancels the answer.
 */
final class DeliveredAsks {
    private static final Logger LOGGER = LoggerFactory.getLogger(DeliveredAsks.class);

    private final String group;
    private final Consumer<Input> member;
    private final Function<UUID, ClusterNode> nodes;
    private final TimeSource time;
    /** Whether the actors fail asks in the words of {@link FailuresAtHome}. */
    private final boolean isHome;
    /** An ask is added before its courier gets it, so a cancellation finds it until it has its answer. */
    private final Map<NodeAsk, Open> open = new ConcurrentHashMap<>();

    /** An ask, its answer when it was given, and the name of the actor that handles it. */
    private static final class Open {
        /** Set by the member's actor, which then reads {@link #answer}. */
        private volatile boolean isCancelled;
        /** Set by the courier, which then reads {@link #isCancelled}; so one of the two cancels the answer. */
        private volatile @Nullable CompletableFuture<?> answer;
        /** Written by the courier before {@link #answer}, which publishes it. */
        private Supplier<String> handler = () -> "";

        /** Called by the courier. The name is published with the answer. */
        void give(CompletableFuture<?> given, Supplier<String> name) {
            handler = name;
            answer = given;
            if (isCancelled) {
                given.cancel(false);
            }
        }

        void cancel() {
            isCancelled = true;
            var given = answer;
            if (given != null) {
                given.cancel(false);
            }
        }
    }

    DeliveredAsks(String group, Consumer<Input> member, Function<UUID, ClusterNode> nodes, TimeSource time,
            boolean isHome) {
        this.group = group;
        this.member = member;
        this.nodes = nodes;
        this.time = time;
        this.isHome = isHome;
    }

    String group() {
        return group;
    }

    /** Returns the name of the node that has sent a message. */
    String nameOf(HomeDelivery delivery) {
        return nodes.apply(delivery.from()).name();
    }

    private static NodeAsk idOf(HomeDelivery delivery) {
        return new NodeAsk(delivery.from(), delivery.ask());
    }

    /** Notes that a message has come, so that it can be cancelled. Called before a courier gets it. */
    void come(HomeDelivery delivery) {
        if (delivery.ask() != 0) {
            open.put(idOf(delivery), new Open());
        }
    }

    /** Whether the sender of a message has cancelled it before it was given to its recipient. */
    boolean isCancelled(HomeDelivery delivery) {
        return delivery.ask() != 0 && !open.containsKey(idOf(delivery));
    }

    void settle(HomeDelivery delivery, Verdict verdict) {
        if (verdict != Verdict.TAKEN) {
            open.remove(idOf(delivery));
        }
        member.accept(new Input.Settled(delivery, verdict));
    }

    void answer(HomeDelivery delivery, AnswerBody body) {
        member.accept(new Input.Answered(delivery, body.bytes()));
        open.remove(idOf(delivery)); // after that: when none is open, all answers are with the member
    }

    /**
     * Code of the program has thrown while a message was put into a mailbox, such as a function for its weight. If
     * the message has a verdict, it keeps that.
     */
    void fail(HomeDelivery delivery, Throwable failure) {
        if (delivery.ask() != 0) {
            settle(delivery, Verdict.TAKEN);
            answer(delivery, AnswerBody.failure(failure));
        } else {
            settle(delivery, Verdict.NOT_UNDERSTOOD);
            LOGGER.warn(
                    "A message from node '{}' to the group '{}' was not taken: the program has thrown an exception",
                    nameOf(delivery), group, failure);
        }
    }

    /** Takes an ask, and gives the answer when it is there. If no handler gets it, it is refused, or answered with the reason. */
    void take(HomeDelivery delivery, Supplier<String> handler, CompletableFuture<?> answer,
            Function<@Nullable Object, AnswerBody> bodyOf) {
        var lost = answer.state() == Future.State.FAILED ? whyLost(answer) : Optional.<Throwable>empty();
        if (lost.isPresent()) {
            settle(delivery, lost.get() instanceof MailboxFullException ? Verdict.FULL : Verdict.STOPPED);
            return;
        }
        var ask = open.get(idOf(delivery));
        if (ask == null) { // cancelled since it was sent
            answer.cancel(false);
        } else {
            ask.give(answer, handler); // before the verdict: a probe may follow that
        }
        settle(delivery, Verdict.TAKEN);
        var unused = answer.whenComplete((value, failure) -> {
            try {
                if (failure == null) {
                    answer(delivery, bodyOf.apply(value));
                } else if (!isCancelled(delivery) && !isOver(delivery)) {
                    answer(delivery, whyLost(answer).<AnswerBody>map(AnswerBody::notHandled)
                            .orElseGet(() -> failed(failure)));
                }
                open.remove(idOf(delivery));
            } catch (Throwable broken) {
                // On a thread of its own: what completes the answer may have little stack.
                Thread.startVirtualThread(() -> answer(delivery, AnswerBody.failure(broken)));
            }
        });
    }

    /** Returns why no handler has got the message of an ask that has failed; empty if one has. */
    private Optional<Throwable> whyLost(CompletableFuture<?> failed) {
        return isHome ? FailuresAtHome.whyLost(failed.exceptionNow())
                : Losses.isLost(failed) ? Optional.of(failed.exceptionNow()) : Optional.empty();
    }

    /** Returns what a handler has thrown. */
    private AnswerBody failed(Throwable failure) {
        return isHome && failure instanceof RemoteException told ? AnswerBody.told(told)
                : AnswerBody.failure(failure);
    }

    /** Whether the time of an ask is over. Its sender's clock ends it, whatever the handler throws after that. */
    private boolean isOver(HomeDelivery delivery) {
        return isLimited(delivery) && time.nanoTime() - delivery.deadline() >= 0;
    }

    /** Returns what is left of the time of a message. What it has waited for here is a part of it. */
    Duration limit(HomeDelivery delivery) {
        return Duration.ofNanos(Math.max(1, delivery.deadline() - time.nanoTime()));
    }

    static boolean isLimited(HomeDelivery delivery) {
        return delivery.deadline() != Letter.NO_DEADLINE;
    }

    void cancelled(UUID from, long ask) {
        var wanted = open.remove(new NodeAsk(from, ask));
        if (wanted != null) {
            wanted.cancel();
        }
    }

    Optional<ActorWait> waitUnder(NodeAsk ask, ClusterNode self) {
        var asked = open.get(ask);
        var answer = asked == null ? null : asked.answer;
        return asked == null || answer == null ? Optional.empty()
                : RemoteWait.under(answer)
                        .flatMap(wait -> OutgoingWait.of(wait, asked.handler.get(), self));
    }

    boolean areAnswered() {
        return open.isEmpty();
    }
}
