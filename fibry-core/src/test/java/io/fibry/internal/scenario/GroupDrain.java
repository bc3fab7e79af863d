package io.fibry.internal.scenario;

import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.event.ActorEvent;
import io.fibry.event.Undelivered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A member of a group fails while its scope drains: a successor handles what is left. */
final class GroupDrain implements Scenario {
    private static final String NAME = "member";
    private static final Duration LONG = Duration.ofHours(1);
    /** Sent until it is refused: then the scope drains. */
    private static final int LATE = 5;

    @Override
    public String name() {
        return "group-drain";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a successor has handled a message", "a pause was due");
    }

    /** One play. */
    private static final class Game {
        final Play play;
        final ActorScope scope;
        final List<Integer> handled = new ArrayList<>();
        int lives;
        boolean begun;
        boolean sent;
        boolean released;

        Game(Play play) {
            this.play = play;
            scope = ActorSystem.configure("group-drain").listener(this::hear).time(play.schedule.time())
                    .strategy(play.strategy).closeTimeout(LONG).open();
            var limits = FailurePolicy.restart(10, LONG);
            var pauses = play.chance(30);
            var group = scope.named("group").newGroup(GroupPolicy.oneForOne()
                    .limits(pauses ? limits.withBackoff(Play.MILLI, Play.MILLI, 0) : limits));
            play.spawn("begin", () -> {
                group.add(NAME, Lifetime.PERMANENT, builder -> {
                    var life = ++lives;
                    return builder.newActor((Integer number) -> handle(life, number, pauses));
                });
                play.spawn("sender", this::send);
            });
        }

        private void handle(int life, int number, boolean pauses) {
            if (life > 1) {
                play.saw("a successor has handled a message");
            }
            begun = true;
            while (!released) {
                Thread.yield();
            }
            if (number != LATE) {
                handled.add(number);
            }
            if (number % 2 == 0) {
                if (pauses) {
                    play.saw("a pause was due");
                }
                throw new IllegalStateException("as wanted");
            }
        }

        private void send() {
            var member = scope.<Integer, Void>find(ActorName.of(NAME)).orElseThrow();
            play.spawn("first", () -> member.sendMessage(0)); // on caller() it waits until the handler ends
            play.spawn("others", () -> {
                while (!begun) {
                    Thread.yield();
                }
                for (int number = 1; number < 4; number++) {
                    member.sendMessage(number);
                }
                sent = true;
            });
            play.spawn("closer", () -> {
                while (!sent) {
                    Thread.yield();
                }
                var report = scope.stop(LONG);
                play.check(report.stopped() && !report.forced(), "the stop was forced");
                play.check(List.copyOf(handled).equals(List.of(0, 1, 2, 3)), "handled: " + handled);
            });
            play.spawn("releaser", () -> {
                while (!sent || member.sendMessage(LATE)) {
                    Thread.yield();
                }
                released = true;
            });
        }

        private void hear(ActorEvent event) {
            if (event instanceof Undelivered lost) {
                play.check(lost.message().equals(LATE), lost.message() + " was lost: " + lost.cause());
            }
        }
    }

    @Override
    public void play(Play play) {
        new Game(play);
    }
}
