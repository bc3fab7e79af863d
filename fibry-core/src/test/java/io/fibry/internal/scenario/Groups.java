package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.GroupPolicy.Affected;
import io.fibry.Lifetime;
import io.fibry.event.ActorEvent;
import io.fibry.event.Restarted;
import io.fibry.event.Undelivered;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Members of a group fail, are stopped and are started again, while others send to them and the group is stopped. */
final class Groups implements Scenario {
    private static final List<String> NAMES = List.of("m0", "m1", "m2");
    private static final Duration LONG = Duration.ofHours(1);

    @Override
    public String name() {
        return "groups";
    }

    @Override
    public List<String> sometimes() {
        return List.of("ONE", "ALL", "REST", "two rounds", "three members in a round",
                "a message was handled by a successor", "stopped in a pause", "lost: STOPPED_BEFORE_TURN",
                "an ask was answered");
    }

    /** One that was started as a member. */
    private static final class Life {
        final String name;
        boolean failed;
        boolean stopped;
        boolean ended;

        Life(String name) {
            this.name = name;
        }
    }

    private static final class Note {
        final String sender;
        final int number;
        final boolean fails;
        final List<Life> livesBefore;
        int fates;
        @Nullable CompletableFuture<Integer> answer;

        Note(String sender, int number, boolean fails, List<Life> livesBefore) {
            this.sender = sender;
            this.number = number;
            this.fails = fails;
            this.livesBefore = List.copyOf(livesBefore);
        }

        @Override
        public String toString() {
            return sender + "#" + number + (fails ? ", which fails," : "");
        }
    }

    /** One play. */
    private static final class Game {
        final Play play;
        final Affected affected;
        final ActorScope scope;
        final ActorGroup group;
        final Map<String, List<Life>> lives = new HashMap<>();
        final Map<String, Integer> latest = new HashMap<>();
        final Map<Throwable, List<Restarted>> rounds = new IdentityHashMap<>();
        /** The causes of rounds that began before the stop. */
        final Set<Throwable> beforeStop = Collections.newSetFromMap(new IdentityHashMap<>());
        final List<Note> notes = new ArrayList<>();
        boolean stopping;
        boolean over;

        Game(Play play) {
            this.play = play;
            affected = Affected.values()[play.random.nextInt(3)];
            play.saw(affected.name());
            scope = ActorSystem.configure("groups").listener(this::hear).time(play.schedule.time())
                    .strategy(play.strategy).open();
            var limits = FailurePolicy.restart(100, LONG);
            group = scope.named("group").newGroup(new GroupPolicy(affected,
                    play.chance(50) ? limits : limits.withBackoff(Play.MILLI, Play.MILLI, 0)));
            NAMES.forEach(name -> lives.put(name, new ArrayList<>()));
        }

        void begin() {
            NAMES.forEach(name -> group.add(name, Lifetime.PERMANENT, builder -> start(builder, name)));
        }

        private Actor<Note, Integer> start(ActorBuilder builder, String name) {
            var mine = new Life(name);
            var all = lives.get(name);
            play.check(all.stream().allMatch(life -> life.ended), name + " begins while one before it lives");
            all.add(mine);
            return builder.onExit(() -> {
                play.pause();
                mine.ended = true;
            }).newActorWithReturn((Note note) -> handle(mine, note));
        }

        private Integer handle(Life mine, Note note) {
            play.check(!over, note + " is handled after the end of the group");
            play.check(mine == lives.get(mine.name).getLast(), note + " is handled by a predecessor");
            play.check(!mine.ended && !mine.failed, note + " is handled after the end of its actor");
            if (note.answer == null) {
                var before = latest.put(note.sender + mine.name, note.number);
                play.check(before == null || before < note.number, note + " is handled after " + before);
            }
            if (!note.livesBefore.contains(mine)) {
                play.saw("a message was handled by a successor");
            }
            play.pause();
            note.fates++;
            if (note.fails) {
                mine.failed = true;
                throw new IllegalStateException("as wanted");
            }
            return note.number;
        }

        private void hear(ActorEvent event) {
            switch (event) {
                case Restarted restarted -> {
                    rounds.computeIfAbsent(restarted.cause(), c -> new ArrayList<>()).add(restarted);
                    if (!stopping) {
                        beforeStop.add(restarted.cause());
                    }
                }
                case Undelivered lost when lost.message() instanceof Note note -> {
                    note.fates++;
                    play.saw("lost: " + lost.cause());
                }
                default -> {
                }
            }
        }

        void send(String sender, int number) {
            var name = NAMES.get(play.random.nextInt(3));
            var note = new Note(sender, number, play.chance(30), lives.get(name));
            if (play.chance(70)) {
                notes.add(note);
                scope.sendOrKeep(ActorName.of(name), note, 20);
                return;
            }
            scope.<Note, Integer>find(ActorName.of(name)).ifPresent(actor -> {
                notes.add(note);
                note.answer = actor.sendMessageReturn(note);
            });
        }

        void stopMember() {
            var name = NAMES.get(play.random.nextInt(3));
            scope.find(ActorName.of(name)).ifPresent(actor -> {
                lives.get(name).getLast().stopped = true; // it may be the next one already: then it is none too few
                actor.askExit();
            });
        }

        void stop() {
            stopping = true;
            if (play.schedule.time().pending() > 0) {
                play.saw("stopped in a pause");
            }
            group.close();
            over = true;
            NAMES.forEach(name -> {
                play.check(scope.find(ActorName.of(name)).isEmpty(),
                        name + " is there after the end of the group");
                play.check(lives.get(name).stream().allMatch(life -> life.ended),
                        name + " lives after the end of the group");
            });
            scope.close();
        }

        void check() {
            rounds.forEach(this::check);
            if (rounds.size() > 1) {
                play.saw("two rounds");
            }
            for (var note : notes) {
                var expired =
                        note.fates == 0 && note.answer != null && note.answer.isCompletedExceptionally();
                play.check(note.fates == 1 || expired, note + " has met " + note.fates + " fates");
                play.check(note.answer == null || note.answer.isDone(), note + " is never answered");
                if (note.answer != null && !note.answer.isCompletedExceptionally()) {
                    play.saw("an ask was answered");
                }
            }
            var members = scope.counters().total() - group.actor().counters().total();
            play.check(members == notes.size(), notes.size() + " were sent, counted " + members);
            play.check(EngineProbe.footprint(scope) == 0, "the scope of the group still knows something");
        }

        /** All that were started again for one reason. */
        private void check(Throwable cause, List<Restarted> round) {
            var names = round.stream().map(Restarted::actor).toList();
            var trigger =
                    NAMES.stream().filter(name -> cause.getMessage().contains("'" + name + "'")).findFirst()
                            .orElseThrow();
            var first = switch (affected) {
                case ONE, REST -> NAMES.indexOf(trigger);
                case ALL -> 0;
            };
            var last = affected == Affected.ONE ? first : 2;
            var all = NAMES.subList(first, last + 1);
            play.check(all.containsAll(names), "the end of " + trigger + " has started " + names);
            play.check(names.stream().sorted().toList().equals(names), "not in their order: " + names);
            if (names.size() == 3) {
                play.saw("three members in a round");
            }
            play.check(names.size() == all.size() || !beforeStop.contains(cause),
                    "the end of " + trigger + " has started only " + names);
            round.stream().filter(restarted -> restarted.actor().equals(trigger)).forEach(restarted -> {
                var before = lives.get(trigger).get(restarted.restarts() - 1);
                play.check(before.failed || before.stopped, trigger + " is started again and had not ended");
            });
        }
    }

    @Override
    public void play(Play play) {
        var game = new Game(play);
        play.spawn("begin", () -> {
            game.begin();
            for (int i = 0; i < 2; i++) {
                var sender = "sender" + i;
                play.spawn(sender, () -> {
                    for (int n = 0; n < 4; n++) {
                        play.pause();
                        game.send(sender, n);
                    }
                });
            }
            if (play.chance(40)) {
                play.spawn("ender", () -> {
                    play.pause();
                    game.stopMember();
                });
            }
            play.clock(3);
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(60); pauses > 0; pauses--) {
                    Thread.yield();
                }
                game.stop();
            });
        });
        play.ledger.atTheEnd(game::check);
    }
}
