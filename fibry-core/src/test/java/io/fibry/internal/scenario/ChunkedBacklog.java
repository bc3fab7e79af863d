package io.fibry.internal.scenario;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Threads send to an actor whose mailbox is about to get a chunk, has one, or has one that is almost full. The actor
 * becomes idle in between, is stopped, or becomes idle for good.
 */
final class ChunkedBacklog implements Scenario {
    /** After so many messages the next one begins a chunk; after the greater numbers that chunk is nearly full. */
    private static final List<Integer> BEFORE = List.of(13, 14, 15, 16, 30, 44, 45, 46, 47);

    @Override
    public String name() {
        return "chunked-backlog";
    }

    @Override
    public List<String> sometimes() {
        return List.of("another turn",
                "one turn for two messages",
                "lost: STOPPED",
                "lost: STOPPED_BEFORE_TURN",
                "a stop was forced",
                "all were handled");
    }

    @Override
    public void play(Play play) {
        var before = BEFORE.get(play.random.nextInt(BEFORE.size()));
        var subject = new Subject(play).make(play.anonymous(), (context, message) -> {
            if (play.chance(3)) {
                Thread.currentThread().interrupt(); // harms neither the next message nor a sender whose thread it is
            }
        });
        var begin = new CompletableFuture<@Nullable Void>();
        play.spawn("first", () -> {
            for (int i = 0; i < before; i++) {
                subject.send(new Msg("first", i));
            }
            begin.complete(null);
        });
        var senders = play.upTo(3);
        for (int i = 0; i < senders; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                begin.get();
                for (int n = 0; n < 5; n++) {
                    play.pause();
                    var message = new Msg(sender, n);
                    if (play.chance(20)) {
                        subject.ask(message);
                    } else {
                        subject.send(message);
                    }
                }
            });
        }
        if (play.chance(60)) {
            play.spawn("stopper", () -> {
                begin.get();
                for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
            if (play.chance(50)) {
                play.spawn("last-stopper", () -> {
                    begin.get();
                    subject.stop(Duration.ofMillis(5));
                });
            }
        } else {
            play.ledger.atTheEnd(() -> {
                play.check(subject.handled == before + 5 * senders, "handled only " + subject.handled);
                play.saw("all were handled");
            });
        }
    }
}
