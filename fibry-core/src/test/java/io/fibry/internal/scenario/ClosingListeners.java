package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.event.ActorEvent;
import io.fibry.event.Stopped;
import io.fibry.internal.engine.EngineProbe;
import java.util.ArrayList;
import java.util.List;

/** Listeners close a scope because one of its actors has stopped, while other actors stop and other threads close the scope. */
final class ClosingListeners implements Scenario {
    @Override
    public String name() {
        return "closing-listeners";
    }

    @Override
    public List<String> sometimes() {
        return List.of("closed by two listeners at once", "closed from outside");
    }

    private static final class Game {
        final Play play;
        final ActorScope scope;
        final List<Actor<Integer, Void>> actors = new ArrayList<>();
        int closing;
        int unfinished;

        Game(Play play) {
            this.play = play;
            scope = ActorSystem.configure("closing-listeners").listener(this::hear).time(play.schedule.time())
                    .strategy(play.elsewhere()).open();
        }

        private void hear(ActorEvent event) {
            if (event instanceof Stopped) {
                closing++;
                if (closing > 1) {
                    play.saw("closed by two listeners at once");
                }
                play.pause();
                close();
                closing--;
            }
        }

        void close() {
            var before = play.schedule.time().nanoTime();
            scope.close();
            play.check(play.schedule.time().nanoTime() == before,
                    "a close has waited until its time was over");
        }

        void make() {
            for (int i = 0; i < 3; i++) {
                var builder = i == 2 ? scope.child("inner").open().anonymous() : scope.anonymous();
                actors.add(builder.onExit(play::pause).newActor((Integer message) -> play.pause()));
            }
        }

        void check() {
            play.check(unfinished == 0, unfinished + " wait for ever");
            actors.forEach(
                    actor -> play.check(actor.state() == ActorState.STOPPED, "one is " + actor.state()));
            play.check(EngineProbe.footprint(scope) == 0, "the scope still knows something");
        }
    }

    @Override
    public void play(Play play) {
        var game = new Game(play);
        play.spawn("begin", () -> {
            game.make();
            for (var actor : game.actors) {
                play.spawn("stopper", () -> {
                    actor.sendMessage(1);
                    for (int pauses = play.random.nextInt(10); pauses > 0; pauses--) {
                        play.pause();
                    }
                    actor.askExit();
                });
            }
            game.unfinished++;
            play.spawn("closer", () -> {
                for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                    Thread.yield();
                }
                game.close();
                play.saw("closed from outside");
                game.unfinished--;
            });
        });
        play.ledger.atTheEnd(game::check);
    }
}
