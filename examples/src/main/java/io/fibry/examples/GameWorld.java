package io.fibry.examples;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The state of one actor, and the rules of the game: a meadow without edges, its grass, and the places of the beings.
 */
final class GameWorld {
    static final int WIDTH = 56;
    static final int HEIGHT = 32;
    private static final int RIPE = 9;
    private static final int SIGHT = 7;

    enum Kind {
        RABBIT, FOX
    }

    /** A direction, of one step at most. */
    record Way(int dx, int dy) {
    }

    private static final class Being {
        private final Kind kind;
        private int x;
        private int y;
        private int meals;

        Being(Kind kind, int x, int y) {
            this.kind = kind;
            this.x = x;
            this.y = y;
        }
    }

    private final Map<String, Being> beings = new LinkedHashMap<>();
    private final Set<String> known = new HashSet<>();
    private final int[] grass = new int[WIDTH * HEIGHT];
    private final Random random;
    private int eaten;
    private int fallen;
    private int returned;

    GameWorld(long seed) {
        random = new Random(seed);
        for (int i = 0; i < grass.length; i++) {
            grass[i] = random.nextInt(RIPE + 1);
        }
    }

    /** Adds a being that comes, or that comes back. */
    void enter(String name, Kind kind) {
        enter(name, kind, random.nextInt(WIDTH), random.nextInt(HEIGHT));
    }

    void enter(String name, Kind kind, int x, int y) {
        beings.put(name, new Being(kind, x, y));
        if (!known.add(name)) {
            returned++;
        }
    }

    /** Removes a being. Returns false if it was eaten before. */
    boolean fall(String name) {
        if (beings.remove(name) == null) {
            return false;
        }
        fallen++;
        return true;
    }

    /** Returns where a being wants to go: a fox to the nearest rabbit in sight, and a rabbit anywhere. */
    Way look(String name) {
        var me = beings.get(name);
        if (me != null && me.kind == Kind.FOX) {
            var prey = beings.values().stream().filter(being -> being.kind == Kind.RABBIT)
                    .filter(being -> distance(me, being) <= SIGHT)
                    .min((a, b) -> Integer.compare(distance(me, a), distance(me, b)));
            if (prey.isPresent()) {
                return new Way(Integer.signum(across(me.x, prey.get().x, WIDTH)),
                        Integer.signum(across(me.y, prey.get().y, HEIGHT)));
            }
        }
        return new Way(random.nextInt(3) - 1, random.nextInt(3) - 1);
    }

    /** Moves a being, which eats grass, or a rabbit. Returns the name of that rabbit. */
    Optional<String> step(String name, Way way) {
        var me = beings.get(name);
        if (me == null) {
            return Optional.empty();
        }
        me.x = Math.floorMod(me.x + way.dx(), WIDTH);
        me.y = Math.floorMod(me.y + way.dy(), HEIGHT);
        if (me.kind == Kind.RABBIT) {
            int place = me.y * WIDTH + me.x;
            me.meals += grass[place] / RIPE;
            grass[place] = 0;
            return Optional.empty();
        }
        var prey = beings.entrySet().stream().filter(other -> other.getValue().kind == Kind.RABBIT
                && other.getValue().x == me.x && other.getValue().y == me.y).map(Map.Entry::getKey)
                .findFirst();
        prey.ifPresent(rabbit -> {
            me.meals++;
            beings.remove(rabbit);
            eaten++;
        });
        return prey;
    }

    void grow() {
        for (int i = 0; i < grass.length; i++) {
            grass[i] = Math.min(RIPE, grass[i] + random.nextInt(2));
        }
    }

    int eaten() {
        return eaten;
    }

    int fallen() {
        return fallen;
    }

    int returned() {
        return returned;
    }

    int count(Kind kind) {
        return (int) beings.values().stream().filter(being -> being.kind == kind).count();
    }

    /** Returns everything that the page shows. */
    String json() {
        var field = new StringBuilder(grass.length);
        for (int height : grass) {
            field.append(height);
        }
        return "{\"width\":%d,\"height\":%d,\"eaten\":%d,\"fallen\":%d,\"returned\":%d,\"grass\":\"%s\",\"beings\":[%s]}"
                .formatted(WIDTH, HEIGHT, eaten, fallen, returned, field, beings.entrySet().stream()
                        .map(each -> "{\"name\":\"%s\",\"fox\":%b,\"x\":%d,\"y\":%d,\"meals\":%d}".formatted(
                                each.getKey(),
                                each.getValue().kind == Kind.FOX, each.getValue().x, each.getValue().y,
                                each.getValue().meals))
                        .collect(Collectors.joining(",")));
    }

    private static int distance(Being a, Being b) {
        return Math.max(Math.abs(across(a.x, b.x, WIDTH)), Math.abs(across(a.y, b.y, HEIGHT)));
    }

    /** Returns the shorter distance between two numbers of a circle, in which the last number is beside the first. */
    private static int across(int from, int to, int size) {
        return Math.floorMod(to - from + size / 2, size) - size / 2;
    }
}
