package io.fibry.cluster.simulation;

import io.fibry.cluster.circle.ActorWait;
import io.fibry.cluster.circle.CircleProbe;
import io.fibry.cluster.circle.CircleSearch;
import io.fibry.cluster.circle.NodeAsk;
import io.fibry.cluster.circle.ProbeWays;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Actors of several nodes that ask each other at random, answer, and give up, while probes go from node to node in any order. An outsider sees
 * all waits at a time, and so which of them were ever a circle.
 */
final class CirclePlay {
    private static final int STEPS = 400;
    private static final int TICKS_AT_THE_END = 60;

    private final SplittableRandom random;
    private final double loss;
    /** How quickly probes go, beside all else that happens. */
    private final int speed;
    /** How long actors wait before they give up. */
    private final int patience;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();
    private final List<Flight> flights = new ArrayList<>();
    private final Map<NodeAsk, Wait> asks = new LinkedHashMap<>();
    /** The circles of which a wait was a part at some moment, by their numbers. */
    private final Map<Wait, Set<Integer>> inCircle = new HashMap<>();
    /** The circles that were refused. */
    private final Set<Integer> refused = new HashSet<>();
    private final List<String> faults = new ArrayList<>();
    private long now;
    private int refusals;
    private int circles;

    private record Flight(Wait along, CircleProbe probe) {
    }

    private static final class Actor {
        final String name;
        final Node node;
        Wait waits;

        Actor(String name, Node node) {
            this.name = name;
            this.node = node;
        }
    }

    /** An actor waits for another: as actors of a node do, or by an ask that goes from node to node. */
    private static final class Wait {
        final Actor from;
        final Actor to;
        final Optional<NodeAsk> ask;
        boolean isDelivered;
        /** The other has answered, or has not to answer any more: nothing depends on it. */
        boolean isAnswered;

        Wait(Actor from, Actor to, Optional<NodeAsk> ask) {
            this.from = from;
            this.to = to;
            this.ask = ask;
        }

        boolean isThere() {
            return from.waits == this;
        }
    }

    /** A path of waits, of which the last is for an ask. */
    private record Path(List<Wait> waits) implements ActorWait {
        Wait last() {
            return waits.getLast();
        }

        @Override
        public long ask() {
            return last().ask.orElseThrow().number();
        }

        @Override
        public String actors() {
            return last().from.name;
        }

        @Override
        public boolean isOver() {
            return !last().isThere();
        }

        @Override
        public boolean endsAs(ActorWait other) {
            return last() == ((Path) other).last();
        }

        @Override
        public boolean isSameAs(ActorWait other) {
            return waits.equals(((Path) other).waits);
        }
    }

    private final class Node implements ProbeWays {
        final UUID id = new UUID(random.nextLong(), random.nextLong());
        final CircleSearch search = new CircleSearch(id, this);
        long lastAsk;

        @Override
        public Optional<ActorWait> under(NodeAsk ask) {
            var asked = asks.get(ask);
            if (asked == null || !asked.isDelivered || asked.isAnswered) {
                return Optional.empty();
            }
            var path = new ArrayList<Wait>();
            path.add(asked);
            return toAsk(asked.to, path);
        }

        /** The path from an actor by waits within the node to one for an ask. */
        Optional<ActorWait> toAsk(Actor begin, List<Wait> path) {
            for (var wait = begin.waits; wait != null && path.size() < 50; wait = wait.to.waits) {
                path.add(wait);
                if (wait.ask.isPresent()) {
                    return Optional.of(new Path(List.copyOf(path)));
                }
            }
            return Optional.empty();
        }

        @Override
        public void send(ActorWait wait, CircleProbe probe) {
            if (random.nextDouble() >= loss) {
                flights.add(new Flight(((Path) wait).last(), CircleProbe.of(probe.bytes()).orElseThrow()));
            }
        }

        @Override
        public void refuse(ActorWait wait, String circle) {
            refusals++;
            var last = ((Path) wait).last();
            var mine = inCircle.getOrDefault(last, Set.of());
            if (mine.isEmpty()) {
                faults.add("no circle: " + circle);
            } else if (!refused.addAll(mine)) {
                faults.add("refused twice: " + circle);
            }
            giveUp(last);
        }
    }

    private CirclePlay(long seed, double loss) {
        random = new SplittableRandom(seed);
        this.loss = loss;
        speed = random.nextInt(4);
        patience = 1 + random.nextInt(5);
    }

    /** Plays a seed. Returns what went wrong. */
    static List<String> run(long seed, double loss) {
        var play = new CirclePlay(seed, loss);
        play.play();
        return play.faults;
    }

    /** Returns how many circles there were in a seed, and how many asks were refused. */
    static int[] counts(long seed) {
        var play = new CirclePlay(seed, 0);
        play.play();
        return new int[]{play.circles, play.refusals};
    }

    private void play() {
        var count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            nodes.add(new Node());
        }
        for (int i = 0; i < 3 + random.nextInt(6); i++) {
            actors.add(new Actor("actor" + i, nodes.get(random.nextInt(count))));
        }
        for (int step = 0; step < STEPS; step++) {
            now += random.nextInt(5) * 1_000_000L;
            step();
        }
        for (int tick = 0; tick < TICKS_AT_THE_END; tick++) {
            now += 20_000_000L;
            asks.values().forEach(ask -> ask.isDelivered = true);
            nodes.forEach(node -> node.search.tick(now));
            while (!flights.isEmpty()) {
                deliver();
            }
        }
        if (loss == 0) {
            actors.stream().filter(actor -> isCircle(actor.waits))
                    .forEach(actor -> faults.add("a circle through " + actor.name + " was not found"));
        }
    }

    private void step() {
        var actor = actors.get(random.nextInt(actors.size()));
        var asked = asks.values().stream().filter(ask -> !ask.isDelivered).findFirst();
        switch (random.nextInt(10 + speed)) {
            case 0, 1, 8 -> ask(actor, actors.get(random.nextInt(actors.size())));
            case 2, 3 -> answer(actor);
            case 4 -> {
                if (actor.waits != null && random.nextInt(patience) == 0) {
                    giveUp(actor.waits);
                }
            }
            case 5 -> nodes.get(random.nextInt(nodes.size())).search.tick(now);
            case 9 -> mislead();
            case 6 -> asked.ifPresent(ask -> ask.isDelivered = true);
            default -> deliver();
        }
    }

    /** A wait ends behind a probe, or begins in front of it. */
    private void mislead() {
        if (flights.isEmpty()) {
            return;
        }
        var flight = flights.get(random.nextInt(flights.size()));
        if (random.nextBoolean() && flight.along.isThere()) {
            giveUp(flight.along);
        } else {
            ask(flight.along.to, asks.get(flight.probe.begin()).from);
        }
    }

    private void ask(Actor from, Actor to) {
        if (from.waits != null) {
            return;
        }
        // Circles within a node are not those that are looked for here.
        var isLocal = from.node == to.node && random.nextBoolean() && !leadsLocallyTo(to, from);
        var wait = new Wait(from, to,
                isLocal ? Optional.empty() : Optional.of(new NodeAsk(from.node.id, ++from.node.lastAsk)));
        from.waits = wait;
        wait.ask.ifPresent(ask -> asks.put(ask, wait));
        from.node.toAsk(from, new ArrayList<>())
                .ifPresent(path -> from.node.search.note(new Path(List.of(((Path) path).last())), now));
        if (isCircle(wait)) {
            circles++;
            var edge = wait;
            do {
                inCircle.computeIfAbsent(edge, missing -> new HashSet<>()).add(circles);
                edge = edge.to.waits;
            } while (edge != wait);
        }
    }

    private static boolean leadsLocallyTo(Actor begin, Actor end) {
        var at = begin;
        for (int i = 0; i < 50 && at != end && at.waits != null && at.waits.ask.isEmpty(); i++) {
            at = at.waits.to;
        }
        return at == end;
    }

    /** Whether the waits from this one lead back to it, and none of them has got its answer. */
    private static boolean isCircle(Wait begin) {
        var wait = begin;
        for (int i = 0; i < 50 && wait != null && !wait.isAnswered; i++) {
            wait = wait.to.waits;
            if (wait == begin) {
                return wait != null;
            }
        }
        return false;
    }

    /** An actor that does not wait answers somebody; the answer may come later. */
    private void answer(Actor actor) {
        var waiting =
                actors.stream().map(other -> other.waits).filter(wait -> wait != null && wait.to == actor)
                        .findFirst();
        if (waiting.isEmpty() || actor.waits != null) {
            return;
        }
        var wait = waiting.get();
        if (wait.isAnswered || wait.ask.isEmpty()) {
            end(wait);
        } else if (wait.isDelivered) {
            wait.isAnswered = true;
        }
    }

    private void giveUp(Wait wait) {
        // The other one may learn of it later: until then it has the ask, and depends on nothing of it.
        wait.from.waits = wait.isThere() ? null : wait.from.waits;
        if (wait.ask.isEmpty() || random.nextBoolean()) {
            wait.isAnswered = true;
        }
    }

    private static void end(Wait wait) {
        wait.isAnswered = true;
        wait.from.waits = null;
    }

    private void deliver() {
        if (flights.isEmpty()) {
            return;
        }
        var flight = flights.remove(random.nextInt(flights.size()));
        if (flight.along.isDelivered) {
            flight.along.to.node.search.arrived(flight.along.ask.orElseThrow(), flight.probe, now);
        } else if (flight.along.isThere()) {
            flights.add(flight); // it waits until the ask is taken
        }
    }
}
