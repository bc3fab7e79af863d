package io.fibry.examples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What is known about all devices together: the state of one actor, so plain fields and no lock. Device
 * actors tell it what they hear.
 */
final class DeviceBoard {
    /** So many devices are shown on the page, each as one letter. */
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

    /** What is shown, as it is at one moment. */
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

    /** A device has come; gives it a place. */
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
