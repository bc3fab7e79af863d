package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.event.ActorEvent;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.internal.engine.EngineProbe;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Actors and children are made while others find them, send to them and stop them, and while parent and scope end. */
final class Makings implements Scenario {
    private static final String PARENT = "parent";
    private static final String CHILD = "n1";
    private static final List<String> NAMES = List.of("n0", CHILD);

    @Override
    public String name() {
        return "makings";
    }

    @Override
    public List<String> sometimes() {
        return List.of("made", "the name was taken", "the scope was closed", "the parent had ended",
                "found and not made", "found and stopped", "handled", "lost");
    }

    /** One try to make an actor. */
    private static final class Life {
        int hooks;
        int handled;
        boolean made;
    }

    private static final class Note {
        int fates;
        @Nullable CompletableFuture<Integer> answer;
    }

    private static final class Game {
        final Play play;
        final ActorScope scope;
        final Map<String, List<ActorEvent>> told = new HashMap<>();
        final Map<String, Integer> made = new HashMap<>();
        final List<Life> lives = new ArrayList<>();
        final List<Note> notes = new ArrayList<>();
        final List<int[]> resources = new ArrayList<>();
        int unfinished;
        /** Children whose end has not been told. */
        int childrenAlive;
        @Nullable ActorBuilder children;
        @Nullable Actor<Integer, Void> parent;

        Game(Play play) {
            this.play = play;
            scope = ActorSystem.configure("makings").listener(this::hear).time(play.schedule.time())
                    .strategy(play.strategy).open();
        }

        private void hear(ActorEvent event) {
            switch (event) {
                case Started started -> {
                    told(started.actor()).add(event);
                    if (started.actor().equals(CHILD)) {
                        childrenAlive++;
                        play.check(told(PARENT).size() < 2, "an actor that has stopped gets a child");
                    }
                }
                case Stopped stopped -> {
                    told(stopped.actor()).add(event);
                    childrenAlive -= stopped.actor().equals(CHILD) ? 1 : 0;
                    play.check(childrenAlive == 0 || !stopped.actor().equals(PARENT),
                            "an actor has stopped before its child");
                }
                case Undelivered lost when lost.message() instanceof Note note -> {
                    note.fates++;
                    play.saw("lost");
                }
                default -> {
                }
            }
        }

        private List<ActorEvent> told(String name) {
            return told.computeIfAbsent(name, n -> new ArrayList<>());
        }

        void begin() {
            parent = scope.named(PARENT).newActor((context, n) -> children = context.child(CHILD));
            parent.sendMessage(1);
            parent.sendMessageReturn(2).join();
        }

        void make(int n) {
            var name = NAMES.get(n % 2);
            var isChild = n % 2 == 1 && children != null;
            var builder = isChild ? children : scope.named(name);
            var life = new Life();
            lives.add(life);
            play.pause();
            var inItsOwnTime = play.chance(30) ? builder.strategy(this::takeTime) : builder;
            try {
                var mine = inItsOwnTime.onExit(() -> {
                    play.pause();
                    life.hooks++;
                });
                if (play.chance(50)) {
                    mine.newActorWithReturn((Note note) -> handle(life, note));
                } else {
                    mine.<Note, Integer>newActorWithReturnFrom(context -> note -> handle(life, note));
                }
                life.made = true;
                made.merge(name, 1, Integer::sum);
                play.saw("made");
            } catch (IllegalArgumentException taken) {
                play.saw("the name was taken");
            } catch (IllegalStateException refused) {
                play.saw(refused.getMessage().startsWith("scope") ? "the scope was closed"
                        : "the parent had ended");
            }
        }

        /** A strategy that gives others the time to end the parent or the scope of an actor that is being made. */
        private Executor takeTime(String actor) {
            for (int pauses = play.upTo(20); pauses > 0; pauses--) {
                play.pause();
            }
            return play.schedule.executor();
        }

        private Integer handle(Life life, Note note) {
            life.handled++;
            note.fates++;
            play.saw("handled");
            return 1;
        }

        void find(int n) {
            var found = scope.<Note, Integer>find(ActorName.of(NAMES.get(n % 2)));
            if (found.isEmpty()) {
                return;
            }
            var actor = found.get();
            var note = new Note();
            switch (play.random.nextInt(4)) {
                case 0 -> {
                    notes.add(note);
                    actor.sendMessage(note);
                }
                case 1 -> {
                    notes.add(note);
                    note.answer = actor.sendMessageReturn(note);
                }
                case 2 -> {
                    var closed = new int[1];
                    resources.add(closed);
                    actor.closeOnExit(() -> closed[0]++);
                }
                default -> {
                    actor.askExit();
                    actor.waitForExit();
                    play.saw("found and stopped");
                }
            }
        }

        void check() {
            play.check(unfinished == 0, unfinished + " wait for ever");
            for (var life : lives) {
                play.check(life.hooks == (life.made ? 1 : 0),
                        "hooks of an actor that was " + (life.made ? "" : "not ") + "made ran " + life.hooks
                                + " times");
                play.check(life.made || life.handled == 0,
                        "an actor that was not made has handled something");
            }
            for (var note : notes) {
                play.check(note.fates == 1, "a note has met " + note.fates + " fates");
                play.check(note.answer == null || note.answer.isDone(), "never answered");
            }
            resources.forEach(
                    closed -> play.check(closed[0] == 1, "a resource was closed " + closed[0] + " times"));
            for (var name : NAMES) {
                var events = told(name);
                play.check(events.size() == 2 * made.getOrDefault(name, 0),
                        "made " + made.get(name) + ", told " + events);
                var alive = 0; // of one name there may be two: it is free before the end is told
                for (var event : events) {
                    alive += event instanceof Started ? 1 : -1;
                    play.check(alive >= 0, "an end is told before the beginning: " + events);
                }
            }
            play.check(scope.counters().total() == notes.size() + 2,
                    notes.size() + " notes, counted " + scope.counters());
            if (lives.stream().anyMatch(life -> !life.made) && !resources.isEmpty()) {
                play.saw("found and not made");
            }
            play.check(EngineProbe.footprint(scope) == 0, "the scope still knows something");
        }
    }

    @Override
    public void play(Play play) {
        var game = new Game(play);
        play.spawn("begin", () -> {
            game.begin();
            for (int i = 0; i < 2; i++) {
                play.spawn("maker" + i, () -> {
                    for (int n = 0; n < 4; n++) {
                        play.pause();
                        game.make(play.random.nextInt(2));
                    }
                });
                game.unfinished++;
                play.spawn("finder" + i, () -> {
                    for (int n = 0; n < 4; n++) {
                        play.pause();
                        game.find(play.random.nextInt(2));
                    }
                    game.unfinished--;
                });
            }
            game.unfinished++;
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                    Thread.yield();
                }
                if (game.parent != null && play.chance(60)) {
                    game.parent.askExit();
                    for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                        Thread.yield();
                    }
                }
                game.scope.close();
                game.unfinished--;
            });
        });
        play.ledger.atTheEnd(game::check);
    }
}
