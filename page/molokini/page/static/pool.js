/** Slots of one node, given out from the lowest free one on: where a job is drawn among those of its node. */

export class Pool {
  /**
   * @param {number} first the row of its first slot
   * @param {number} size
   */
  constructor(first, size) {
    /** Free slots, as [begin, end) pairs in order. @type {number[]} */
    this.free = [first, first + size];
    /** What will be given back: [instant, begin, end, ...], the earliest first. @type {[number, number, number][]} */
    this.due = [];
    this.first = first;
    this.size = size;
    /** Until then one job has all of it, and nothing else is written down. */ this.whole = -Infinity;
  }

  /**
   * Give all slots to one job, where no job has any: most jobs of wide machines are like that, and this takes no list.
   * @param {number} count
   * @param {number} from
   * @param {number} to
   * @returns {boolean} whether it was done
   */
  takeWhole(count, from, to) {
    if (count < this.size || from < this.whole) return false;
    if (this.due.length) this.giveBack(from);
    if (this.due.length) return false;
    this.whole = to;
    return true;
  }

  /**
   * Slots for a job, as [begin, end) pairs. Where too few are free, as where jobs share processors, it lies over others.
   * @param {number} count
   * @param {number} from
   * @param {number} to
   * @returns {number[]}
   */
  take(count, from, to) {
    if (from < this.whole) return [this.first, this.first + Math.min(count, this.size)];
    this.giveBack(from);
    const got = this.cut(count);
    let missing = count;
    for (let place = 0; place < got.length; place += 2) {
      missing -= got[place + 1] - got[place];
      this.push(to, got[place], got[place + 1]);
    }
    if (missing > 0) got.push(this.first, this.first + Math.min(missing, this.size));
    return got;
  }

  /** @param {number} at */
  count(at) {
    if (at < this.whole) return 0;
    this.giveBack(at);
    let sum = 0;
    for (let place = 0; place < this.free.length; place += 2) sum += this.free[place + 1] - this.free[place];
    return sum;
  }

  /** @param {number} count */
  cut(count) {
    const { free } = this;
    /** @type {number[]} */ const got = [];
    let place = 0;
    while (count > 0 && place < free.length) {
      const size = Math.min(count, free[place + 1] - free[place]);
      got.push(free[place], free[place] + size);
      free[place] += size;
      count -= size;
      if (free[place] === free[place + 1]) place += 2;
    }
    free.splice(0, place);
    return got;
  }

  /** @param {number} now */
  giveBack(now) {
    while (this.due.length && this.due[0][0] <= now) {
      const [, begin, end] = this.pop();
      this.insert(begin, end);
    }
  }

  /**
   * @param {number} begin
   * @param {number} end
   */
  insert(begin, end) {
    const { free } = this;
    let [low, high] = [0, free.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (free[2 * middle] < begin) low = middle + 1;
      else high = middle;
    }
    let place = 2 * low;
    if (place > 0 && free[place - 1] === begin) {
      place -= 2;
      free[place + 1] = end;
    } else {
      free.splice(place, 0, begin, end);
    }
    if (place + 2 < free.length && free[place + 2] === free[place + 1]) {
      free[place + 1] = free[place + 3];
      free.splice(place + 2, 2);
    }
  }

  // A heap by the first of three numbers.

  /**
   * @param {number} at
   * @param {number} begin
   * @param {number} end
   */
  push(at, begin, end) {
    const { due } = this;
    let place = due.push([at, begin, end]) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (due[above][0] <= due[place][0]) return;
      [due[above], due[place]] = [due[place], due[above]];
      place = above;
    }
  }

  pop() {
    const { due } = this;
    const top = due[0];
    const last = /** @type {[number, number, number]} */ (due.pop());
    if (due.length) {
      due[0] = last;
      let place = 0;
      for (;;) {
        let least = place;
        for (const below of [2 * place + 1, 2 * place + 2]) {
          if (below < due.length && due[below][0] < due[least][0]) least = below;
        }
        if (least === place) break;
        [due[least], due[place]] = [due[place], due[least]];
        place = least;
      }
    }
    return top;
  }
}
