package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.GroupPolicy.Affected;
import io.fibry.Lifetime;
import io.fibry.event.ActorEvent;
import io.fibry.event.Restarted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Members of a group ask each other and fail: the group never waits for its deadline, and each ask is answered or fails. */
final class GroupCycles implements Scenario {
    private static final List<String> NAMES = List.of("one", "two", "three");
    private static final Duration LONG = Duration.ofHours(1);

    /** What a member does: it fails, or asks others, one after the other. */
    private record Order(boolean fails, List<String> asks, boolean joins) {
    }

    @Override
    public String name() {
        return "group-cycles";
    }

    @Override
    public List<String> sometimes() {
        return List.of("restarted", "answered", "a cycle", "an ask was given up");
    }

    /** One play. */
    private static final class Game {
        final Play play;
        final ActorScope scope;
        final ActorGroup group;
        final long begin;
        int senders = 3;

        Game(Play play) {
            this.play = play;
            scope = ActorSystem.configure("group-cycles").listener(this::hear).time(play.schedule.time())
                    .strategy(play.elsewhere()).closeTimeout(LONG).open();
            begin = play.schedule.time().nanoTime();
            var affected = Affected.values()[play.random.nextInt(Affected.values().length)];
            group = scope.named("group").newGroup(new GroupPolicy(affected, FailurePolicy.restart(20, LONG)));
            play.spawn("begin", () -> {
                for (var name : NAMES) {
                    group.add(name, Lifetime.PERMANENT, this::start);
                }
                for (int i = 0; i < 3; i++) {
                    play.spawn("sender" + i, this::send);
                }
            });
        }

        private Actor<Order, Integer> start(ActorBuilder builder) {
            return builder.newActorWithReturn((Order order) -> {
                play.pause();
                for (var name : order.asks) {
                    scope.<Order, Integer>find(ActorName.of(name))
                            .ifPresent(other -> ask(other, order.joins));
                    play.pause();
                }
                if (order.fails) {
                    throw new IllegalStateException("as wanted");
                }
                return 1;
            });
        }

        private void ask(Actor<Order, Integer> other, boolean joins) {
            try {
                var answer = other.sendMessageReturn(order(1));
                if (joins) {
                    answer.join();
                } else {
                    answer.get();
                }
                play.saw("answered");
            } catch (AskCycleException e) {
                play.saw("a cycle");
            } catch (CompletionException e) {
                heed(e.getCause());
            } catch (java.util.concurrent.ExecutionException e) {
                heed(e.getCause());
            } catch (InterruptedException e) {
                play.check(false, "interrupted before the deadline");
            }
        }

        private void heed(Throwable failure) {
            if (failure instanceof AskCycleException cycle && cycle.getMessage().contains("given up")) {
                play.saw("an ask was given up");
            }
        }

        private Order order(int depth) {
            return new Order(play.chance(30),
                    depth == 1 && play.chance(50) ? List.of() : List.of(NAMES.get(play.random.nextInt(3))),
                    play.chance(50));
        }

        private void send() {
            for (int i = 0; i < 3; i++) {
                play.pause();
                scope.<Order, Integer>find(ActorName.of(NAMES.get(play.random.nextInt(3))))
                        .ifPresent(member -> member.sendMessage(order(0)));
            }
            if (--senders == 0) {
                play.spawn("closer", () -> {
                    var report = scope.stop(LONG);
                    play.check(report.stopped() && !report.forced(), "the stop was forced: " + report);
                    var took = play.schedule.time().nanoTime() - begin;
                    play.check(took < LONG.toNanos(), "a deadline was waited for: " + took);
                });
            }
        }

        private void hear(ActorEvent event) {
            if (event instanceof Restarted) {
                play.saw("restarted");
            }
        }
    }

    @Override
    public void play(Play play) {
        new Game(play);
    }
}
