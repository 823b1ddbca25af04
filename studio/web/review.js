// Takes games: a file that is chosen or dropped.
const form = document.getElementById("form"), games = document.getElementById("games");
function check() {
  const size = games.files[0]?.size || 0;
  games.setCustomValidity(size > Number(form.dataset.most) ? `The file is larger than ${form.dataset.size}: give it to talbot review.` : "");
}
games.addEventListener("change", check);
addEventListener("dragover", (e) => e.preventDefault());
addEventListener("drop", (e) => {
  if (!e.dataTransfer.files.length) return;
  e.preventDefault();
  games.files = e.dataTransfer.files;
  check();
  games.reportValidity();
});
