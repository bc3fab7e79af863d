package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.event.ActorEvent;
import io.fibry.event.Undelivered;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group ends and leaves mail. Before its successor is made somebody else may take its name, and group or scope
 * may be closed. It may also be stuck, and end after its group.
 */
final class Heirs implements Scenario {
    private static final String NAME = "member";
    private static final Duration LONG = Duration.ofHours(1);

    @Override
    public String name() {
        return "heirs";
    }

    @Override
    public List<String> sometimes() {
        return List.of("handled by a successor", "lost: STOPPED_BEFORE_TURN", "a stranger got the name",
                "handled by a stranger", "an ask was answered", "an ask failed",
                "a member ended after its group",
                "lost after the end of the group");
    }

    private static final class Note {
        final String text;
        final boolean fails;
        final boolean hangs;
        final int livesBefore;
        int fates;
        @Nullable CompletableFuture<Integer> answer;

        Note(String text, boolean fails, boolean hangs, int livesBefore) {
            this.text = text;
            this.fails = fails;
            this.hangs = hangs;
            this.livesBefore = livesBefore;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final class Game {
        final Play play;
        final ActorScope scope;
        final ActorGroup group;
        final List<Note> notes = new ArrayList<>();
        int lives;
        boolean released;
        boolean groupIsOver;
        boolean over;

        Game(Play play) {
            this.play = play;
            scope = ActorSystem.configure("heirs").listener(this::hear).time(play.schedule.time())
                    .strategy(play.strategy).closeTimeout(Play.MILLI).open();
            var limits = FailurePolicy.restart(play.upTo(8), LONG);
            group = scope.named("group").newGroup(GroupPolicy.oneForOne()
                    .limits(play.chance(50) ? limits : limits.withBackoff(Play.MILLI, Play.MILLI, 0)));
        }

        Actor<Note, Integer> start(ActorBuilder builder) {
            var mine = ++lives;
            return builder.onExit(() -> {
                if (groupIsOver) {
                    play.saw("a member ended after its group");
                }
            }).newActorWithReturn((Note note) -> handle(mine, note));
        }

        private Integer handle(int life, Note note) {
            if (life > note.livesBefore) {
                play.saw("handled by a successor");
            }
            play.pause();
            while (note.hangs && !released) {
                play.pause();
                Thread.interrupted();
            }
            note.fates++;
            if (note.fails) {
                throw new IllegalStateException("as wanted");
            }
            return 1;
        }

        private void hear(ActorEvent event) {
            if (event instanceof Undelivered lost && lost.message() instanceof Note note) {
                note.fates++;
                play.saw("lost: " + lost.cause());
                if (groupIsOver && lost.cause() == Undelivered.Cause.STOPPED_BEFORE_TURN) {
                    play.saw("lost after the end of the group");
                }
            }
        }

        void send(String text, boolean mayHang) {
            var note = new Note(text, play.chance(40), mayHang && play.chance(15), lives);
            if (play.chance(40)) {
                notes.add(note);
                scope.sendOrKeep(ActorName.of(NAME), note, 20);
                return;
            }
            scope.<Note, Integer>find(ActorName.of(NAME)).ifPresent(actor -> {
                notes.add(note);
                note.answer = actor.sendMessageReturn(note);
            });
        }

        /** Somebody who has nothing to do with the group. */
        void takeName() {
            for (int tries = 0; tries < 6; tries++) {
                play.pause();
                try {
                    var stranger = scope.named(NAME).newActorWithReturn((Note note) -> {
                        play.saw("handled by a stranger");
                        note.fates++;
                        return 2;
                    });
                    play.saw("a stranger got the name");
                    play.pause();
                    if (play.chance(50)) {
                        stranger.askExit();
                    }
                } catch (IllegalArgumentException taken) {
                    // as it is most of the time
                } catch (IllegalStateException closed) {
                    return;
                }
            }
        }

        void stop() {
            switch (play.random.nextInt(3)) {
                case 0 -> group.close();
                case 1 -> group.actor().stop(Play.MILLI);
                default -> {
                }
            }
            groupIsOver = group.actor().waitForExit(Duration.ZERO);
            scope.close();
            groupIsOver = true;
            over = true;
        }

        void check() {
            play.check(over, "the scope is never closed");
            for (var note : notes) {
                var expired =
                        note.fates == 0 && note.answer != null && note.answer.isCompletedExceptionally();
                play.check(note.fates == 1 || expired, note + " has met " + note.fates + " fates");
                if (note.answer != null) {
                    play.check(note.answer.isDone(), note + " is never answered");
                    play.saw(
                            note.answer.isCompletedExceptionally() ? "an ask failed" : "an ask was answered");
                }
            }
            var members = scope.counters().total() - group.actor().counters().total();
            play.check(members == notes.size(), notes.size() + " were sent, counted " + members);
            play.check(EngineProbe.footprint(scope) == 0, "the scope of the group still knows something");
        }
    }

    @Override
    public void play(Play play) {
        var game = new Game(play);
        var mayHang = play.chance(30);
        play.spawn("begin", () -> {
            game.group.add(NAME, Lifetime.PERMANENT, game::start);
            for (int i = 0; i < 2; i++) {
                var sender = "sender" + i;
                play.spawn(sender, () -> {
                    for (int n = 0; n < 4; n++) {
                        play.pause();
                        game.send(sender + "#" + n, mayHang);
                    }
                });
            }
            play.spawn("stranger", game::takeName);
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
                    Thread.yield();
                }
                game.stop();
            });
            play.spawn("mover", () -> {
                for (int steps = 0; steps < 6; steps++) {
                    play.pause();
                    play.schedule.time().advance(Play.MILLI);
                }
                while (!game.over && mayHang) {
                    play.pause();
                    play.schedule.time().advance(Duration.ofMillis(300));
                }
                game.released = true;
            });
        });
        play.ledger.atTheEnd(game::check);
    }
}
