package io.fibry.internal.scenario;

import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Senders follow the fates of their messages while the actor fails, is restarted, drops messages and stops. */
final class TrackedSends implements Scenario {
    @Override
    public String name() {
        return "tracked-sends";
    }

    @Override
    public List<String> sometimes() {
        return List.of("Handled", "Failed", "Expired", "Dropped", "Refused", "Undelivered");
    }

    @Override
    public void play(Play play) {
        var fates = new HashMap<Msg, CompletableFuture<MessageFate>>();
        var subject = new Subject(play).endsByItself().counts();
        subject.makeFrom(play.anonymous().mailbox(aMailbox(play)).onFailure(aPolicy(play)),
                () -> (context, message) -> {
                    if (message.number % 3 == 1) {
                        throw new IllegalStateException("as wanted");
                    }
                });
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    var message = new Msg(sender, n);
                    play.ledger.offered.add(message);
                    var lives = play.chance(30);
                    if (lives) {
                        message.deadline = play.schedule.time().nanoTime() + Play.MILLI.toNanos();
                    }
                    var fate = lives ? subject.actor().sendTracked(message, Play.MILLI)
                            : subject.actor().sendTracked(message);
                    fates.put(message, fate);
                    if (play.chance(20)) {
                        fate.thenAccept(any -> play.pause());
                    }
                }
            });
        }
        play.clock(3);
        if (play.chance(70)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
        play.ledger.atTheEnd(() -> {
            for (var each : fates.entrySet()) {
                check(play, each.getKey(), each.getValue());
            }
            checkSums(play, subject, fates);
        });
    }

    private static MailboxPolicy aMailbox(Play play) {
        return switch (play.random.nextInt(6)) {
            case 0 -> MailboxPolicy.bounded(2, OverflowPolicy.dropOldest());
            case 1 -> MailboxPolicy.bounded(2, OverflowPolicy.dropNewest());
            case 2 -> MailboxPolicy.bounded(2, OverflowPolicy.fail());
            case 3 -> MailboxPolicy.bounded(2, OverflowPolicy.block(Play.MILLI));
            default -> MailboxPolicy.unbounded();
        };
    }

    private static FailurePolicy aPolicy(Play play) {
        return switch (play.random.nextInt(3)) {
            case 0 -> FailurePolicy.resume();
            case 1 -> FailurePolicy.stop();
            default -> FailurePolicy.restart(4, Duration.ofSeconds(1));
        };
    }

    private static void check(Play play, Msg message, CompletableFuture<MessageFate> future) {
        var fate = future.getNow(null);
        play.check(fate != null, "no fate: " + message);
        if (fate != null) {
            play.saw(fate.getClass().getSimpleName());
            var fits = switch (fate) {
                case MessageFate.Handled handled -> message.returned == 1;
                case MessageFate.Failed failed -> message.threw == 1;
                case MessageFate.Expired expired -> message.returned + message.threw + message.reported == 0;
                default -> message.reported == 1;
            };
            play.check(fits, fate + " is not the fate of " + message);
        }
    }

    private static void checkSums(Play play, Subject subject,
            Map<Msg, CompletableFuture<MessageFate>> fates) {
        var kinds = new HashMap<Class<?>, Long>();
        for (var future : fates.values()) {
            var fate = future.getNow(null);
            if (fate != null) {
                kinds.merge(fate.getClass(), 1L, Long::sum);
            }
        }
        var counters = subject.actor().counters();
        var sums = List.of(kinds.getOrDefault(MessageFate.Handled.class, 0L),
                kinds.getOrDefault(MessageFate.Failed.class, 0L),
                kinds.getOrDefault(MessageFate.Expired.class, 0L),
                kinds.getOrDefault(MessageFate.Dropped.class, 0L),
                kinds.getOrDefault(MessageFate.Refused.class, 0L),
                kinds.getOrDefault(MessageFate.Undelivered.class, 0L));
        play.check(
                sums.equals(
                        List.of(counters.handled(), counters.failed(), counters.expired(), counters.dropped(),
                                counters.refused(), counters.undelivered())),
                "the fates are " + kinds + ", counted are " + counters);
    }
}
