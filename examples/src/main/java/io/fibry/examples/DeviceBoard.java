package io.fibry.examples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What is known about all devices together. It is the state of one actor, so it has plain fields and no lock. The
 * actors of the devices tell it what they receive.
 */
final class DeviceBoard {
    /** How many devices are shown on the page, each as one letter. */
    private static final int CELLS = 2_048;
    private static final char ABSENT = '.';
    private static final double COLDEST = 10;
    private static final double DEGREES_A_LETTER = 1;

    private final char[] cells = new char[CELLS];
    private final List<Integer> free = new ArrayList<>();
    private int nextSlot;
    private int online;
    private long readings;
    private long commands;
    private long answered;

    /** The content of the page at one moment. */
    record Snapshot(int online, long readings, long commands, long answered, String cells) {
        String json() {
            return """
                    {"online":%d,"readings":%d,"commands":%d,"answered":%d,"cells":"%s"}"""
                    .formatted(online, readings, commands, answered, cells);
        }
    }

    DeviceBoard() {
        Arrays.fill(cells, ABSENT);
    }

    /** Gives a new device a place. */
    int join() {
        online++;
        return free.isEmpty() ? nextSlot++ : free.removeLast();
    }

    void leave(int slot) {
        online--;
        free.add(slot);
        show(slot, ABSENT);
    }

    void reading(int slot, double celsius) {
        readings++;
        show(slot, (char) ('a' + Math.clamp((long) ((celsius - COLDEST) / DEGREES_A_LETTER), 0, 25)));
    }

    void commandSent() {
        commands++;
    }

    void commandAnswered() {
        answered++;
    }

    Snapshot snapshot() {
        return new Snapshot(online, readings, commands, answered, new String(cells));
    }

    private void show(int slot, char letter) {
        if (slot < CELLS) {
            cells[slot] = letter;
        }
    }
}
